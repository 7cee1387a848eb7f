import { Agent, get } from 'node:http'
import { work } from './work.mjs'

const agent = new Agent({ keepAlive: true })
const ask = (url) =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve(JSON.parse(text)))
    })
    request.on('error', reject)
  })

await work(ask)
agent.destroy()
