/** A forked child that answers each message with one more. */
process.on('message', ({ n, stop }) => {
  process.send({ n: n + 1, at: Date.now() }, () => {
    if (stop === true) process.disconnect()
  })
})
