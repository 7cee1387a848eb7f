/** llms.txt, SKILL.md and the index of the docs name pages and commands that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  'llms.txt',
  'SKILL.md',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'docs/guides', 'docs/frameworks', 'docs/format', 'docs/decisions', 'docs/api'].flatMap(
    (folder) =>
      readdirSync(join(root, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name}`),
  ),
]

test('every link leads to a page that exists, and to a heading of it', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
    return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
      .filter(([, target = '']) => !leadsSomewhere(page, target))
      .map(([, target]) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (!existsSync(file)) return false
  return (
    heading === undefined || !file.endsWith('.md') || headingsOf(readFileSync(file, 'utf8')).includes(heading)
  )
}

test('SKILL.md has its frontmatter, and commands that exist', () => {
  const text = readFileSync(join(root, 'SKILL.md'), 'utf8')
  expect(text).toMatch(/^---\nname: reprise\ndescription: \S/)
  const names = commands.map(({ name }) => name)
  for (const [, name = ''] of text.matchAll(/npx reprise ([a-z-]+)/g)) expect(names).toContain(name)
})

/** As GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
