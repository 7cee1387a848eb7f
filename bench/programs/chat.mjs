/**
 * A chat with a model that streams: each turn sends the whole conversation. `CHAT_URL`, turns and words of an
 * answer come from outside; CHAT_CONCURRENCY chats run at the same time.
 */
const turns = Number(process.argv[2])
const url = process.env.CHAT_URL

async function chat(name) {
  const messages = [
    { role: 'system', content: 'You are a careful engineer. Version 0.5, at 1.0 of all tokens.' },
  ]
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({
      role: 'user',
      content: `${name}, turn ${turn}: what changes if the limit is ${turn / 8} instead of 0.5? ${'Explain it. '.repeat(20)}`,
    })
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model: 'bench', stream: true, temperature: 0.5, messages }),
    })
    let text = ''
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue
        text += JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? ''
      }
    }
    messages.push({ role: 'assistant', content: text })
  }
  return messages.length
}

const concurrency = Number(process.env.CHAT_CONCURRENCY ?? '1')
const counts = await Promise.all(Array.from({ length: concurrency }, (_, n) => chat(`chat ${n}`)))
if (counts.some((count) => count !== 2 * turns + 1)) throw new Error(`wrong count: ${counts}`)
