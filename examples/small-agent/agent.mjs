/**
 * A small agent: asks a model what to do, runs two tools at once, lets an answer race against a deadline, streams the summary. It knows nothing of
 * Reprise, and nothing about it is the same in two runs: the clock, the random ids, the order in which the tools come back.
 */
const model = `${process.env.MODEL_URL}/v1/chat/completions`
const started = Date.now()

async function ask(messages, stream = false) {
  const response = await fetch(model, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.MODEL_API_KEY}` },
    body: JSON.stringify({ model: 'stand-in', messages, stream }),
  })
  return stream ? response.body : (await response.json()).choices[0].message
}

async function tool(name) {
  const answer = await (await fetch(`${process.env.MODEL_URL}/tools/${name}`)).json()
  console.log(`tool ${name} says ${answer.value}`)
  return answer.value
}

const messages = [{ role: 'user', content: `plan the day, run ${crypto.randomUUID().slice(0, 8)}` }]
const plan = await ask(messages)
console.log(`plan: ${plan.content}`)
const values = await Promise.all([tool('weather'), tool('calendar'), tool('mail')])
const deadline = new Promise((resolve) => setTimeout(resolve, 20, 'deadline'))
console.log(`first: ${await Promise.race([tool('slow'), deadline])}`)
process.stdout.write('summary:')
const decoder = new TextDecoder()
for await (const chunk of await ask([...messages, plan, { role: 'tool', content: values.join() }], true)) {
  for (const line of decoder.decode(chunk, { stream: true }).split('\n')) {
    if (line.startsWith('data: {')) process.stdout.write(` ${JSON.parse(line.slice(6)).choices[0].delta.content}`)
  }
}
console.log(`\ntook ${Date.now() - started} ms`)
