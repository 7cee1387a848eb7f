// Files that are watched.
import fs from 'node:fs'
import promises from 'node:fs/promises'

const events = []
const watcher = fs.watch('data', (type, name) => events.push(`${type} ${name}`))
fs.writeFileSync('data/watched.txt', 'x')
while (events.length === 0) await new Promise((done) => setTimeout(done, 5))
console.log(events[0], watcher.constructor.name)
await new Promise((done) => watcher.on('close', done).close())
const control = new AbortController()
let seen = 0
try {
  setTimeout(() => fs.writeFileSync('data/watched.txt', 'y'), 20)
  for await (const { eventType, filename } of promises.watch('data', { signal: control.signal })) {
    seen += 1
    if (seen === 1) {
      console.log(eventType, filename)
      control.abort()
    }
  }
} catch (error) {
  console.log(error.name, error.code)
}
const change = new Promise((done) =>
  fs.watchFile('data/watched.txt', { interval: 20 }, (now, before) =>
    done([now.size, before.size, now instanceof fs.Stats]),
  ),
)
setTimeout(() => fs.appendFileSync('data/watched.txt', 'more'), 60)
console.log(await change)
fs.unwatchFile('data/watched.txt')
try {
  fs.watch('data/none')
} catch (error) {
  console.log(error.code, error.syscall, error.message)
}
