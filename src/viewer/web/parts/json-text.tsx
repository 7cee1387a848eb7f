/**
 * JSON with its names, strings, numbers and words in colours. Plain text for anything longer than a page or
 * two can hold.
 */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
const MOST_COLOURED = 40_000

export function JsonText({ text }: { readonly text: string }) {
  if (text.length > MOST_COLOURED) return <pre class="code">{text}</pre>
  const parts = []
  let at = 0
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) parts.push(text.slice(at, match.index))
    const [whole, string, colon = '', number] = match
    if (string !== undefined)
      parts.push(<span class={colon === '' ? 'json-string' : 'json-name'}>{string}</span>, colon)
    else parts.push(<span class={number === undefined ? 'json-word' : 'json-number'}>{whole}</span>)
    at = match.index + whole.length
  }
  parts.push(text.slice(at))
  return <pre class="code">{parts}</pre>
}
