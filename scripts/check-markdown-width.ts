/**
 * Lines of Markdown have at most 110 characters. `--write` wraps the paragraphs and list items that are wider,
 * and leaves all others as they are.
 *
 * Not checked: code, tables, headings, HTML, pages that scripts write, and a line that cannot be shorter
 * because it is one link, one code span or one word.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const WIDTH = 110
/** Written by scripts, from code or from measurements. */
const WRITTEN =
  /^docs\/(?:api\/|commands\.md|agents\.md|benchmarks\.md|decisions\/README\.md)|^test\/fixtures\//
const KEPT = /^\s*(?:#|\||<|```|\[[^\]]+\]:)/
const ITEM = /^(\s*)((?:[-*]|\d+\.) )/
/** A link, an image or a code span is one word. */
const WORD = /(?:!?\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g

const isWriting = process.argv.includes('--write')
const files = spawnSync('git', ['ls-files', '-z', '*.md'], { encoding: 'utf8' }).stdout.split('\0')
let wide = 0
for (const file of files.filter((name) => name !== '' && !WRITTEN.test(name))) {
  const text = readFileSync(file, 'utf8')
  const wrapped = wrapDocument(text)
  if (wrapped === text) continue
  if (isWriting) writeFileSync(file, wrapped)
  else {
    wide += 1
    process.stderr.write(`${file}: a line has more than ${WIDTH} characters\n`)
  }
}
if (wide > 0) {
  process.stderr.write(`markdown: ${wide} file(s), run npx tsx scripts/check-markdown-width.ts --write\n`)
  process.exitCode = 1
} else process.stdout.write('markdown: narrow\n')

function wrapDocument(text: string): string {
  const out: string[] = []
  let block: string[] = []
  let isCode = false
  const flush = (): void => {
    out.push(...wrapBlock(block))
    block = []
  }
  for (const line of text.split('\n')) {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence || isCode || line.trim() === '' || KEPT.test(line)) {
      flush()
      out.push(line)
      if (isFence) isCode = !isCode
      continue
    }
    if (ITEM.test(line)) flush()
    block.push(line)
  }
  flush()
  return out.join('\n')
}

/** A paragraph or one list item. */
function wrapBlock(lines: readonly string[]): readonly string[] {
  const [first] = lines
  if (first === undefined || lines.every((line) => line.length <= WIDTH)) return lines
  // A line that ends in two blanks is a line break.
  if (lines.some((line) => line.endsWith('  '))) return lines
  const item = ITEM.exec(first)
  const indent = item === null ? (/^\s*/.exec(first)?.[0] ?? '') : ' '.repeat(item[0].length)
  const start = item === null ? indent : item[0]
  const words =
    lines
      .map((line) => line.trim())
      .join(' ')
      .slice(item === null ? 0 : item[2]?.length)
      .match(WORD) ?? []
  const wrapped: string[] = []
  let line = start
  for (const word of words) {
    const isEmpty = line.trim() === '' || line === start
    if (!isEmpty && line.length + 1 + word.length > WIDTH && !opensBlock(word)) {
      wrapped.push(line)
      line = indent
    }
    line += line === start || line === indent ? word : ` ${word}`
  }
  return [...wrapped, line]
}

/** A word that would begin a list or a heading at the start of a line. */
function opensBlock(word: string): boolean {
  return /^(?:[-*+#>]+|\d+\.)$/.test(word)
}
