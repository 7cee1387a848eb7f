/** Posts a body of so many bytes, so many times, and reads the answer. */
const [times, bytes] = process.argv.slice(2).map(Number)
const text = 'A line of a document that is sent whole, number 0.5 of many.\n'
  .repeat(bytes / 60)
  .slice(0, bytes)
for (let n = 0; n < times; n += 1) {
  const body = JSON.stringify({ n, text })
  const response = await fetch(`${process.env.CHAT_URL}/post`, { method: 'POST', body })
  if (!(await response.text()).includes('data:')) throw new Error('a wrong answer')
}
