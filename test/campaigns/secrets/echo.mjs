/** Answers one message with the same message. */
process.once('message', (message) => {
  process.send?.(message, () => process.disconnect())
})
