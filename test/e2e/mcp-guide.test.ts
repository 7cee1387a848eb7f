/** The examples of docs/guides/mcp.md and docs/format/mcp-cassette.md run and say what the pages say. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)

test('the guide', async () => {
  const folder = tempFolder()
  for (const code of blocks(page('guides/mcp.md'), 'js')) {
    const name = /^\/\/ (\S+)\n/.exec(code)?.[1] ?? ''
    writeFileSync(join(folder, name), code)
  }
  const run = (line: string) => reprise(line.replace(/^reprise /, '').split(' '), { cwd: folder })
  const [recording = [], diff = [], cassettes = []] = blocks(page('guides/mcp.md'), 'sh').map((block) =>
    block.trim().split('\n'),
  )
  const [record = '', replay = '', inspect = ''] = recording
  const recorded = await run(record)
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect(Number(recorded.stdout)).toBeGreaterThan(40)
  rmSync(join(folder, 'server.mjs'))
  expect(await run(replay)).toMatchObject({ code: 0, stdout: recorded.stdout })
  expect((await run(inspect)).stdout).toMatch(/^ +[\d.]+ s {2}mcp +#\d+ +adder tools\/call add {2}\d+ ms$/m)
  for (const line of cassettes) expect(await run(line)).toMatchObject({ code: 0, stderr: '' })

  const agent = readFileSync(join(folder, 'agent.mjs'), 'utf8')
  writeFileSync(join(folder, 'agent.mjs'), agent.replace('a: 40', 'a: 41'))
  const changed = await run(replay)
  expect(changed).toMatchObject({ code: 2, stdout: '-32080\n' })
  expect(changed.stderr).toMatch(/differs at \$\.params\.arguments\.a\n.*recorded {3}\S.*\n.*now {8}\S/)

  const cassette = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'))
  const listed = cassette.interactions.find(({ method }: { method: string }) => method === 'tools/list')
  listed.response.result.tools[0].inputSchema.required = ['a']
  const [yesterday = '', today = ''] = (diff[0] ?? '').split(' ').slice(3)
  writeFileSync(join(folder, yesterday), readFileSync(join(folder, 'server.json')))
  writeFileSync(join(folder, today), JSON.stringify(cassette))
  const compared = await run(diff[0] ?? '')
  expect(compared.code).toBe(2)
  expect(compared.stdout).toContain('tool add: $.inputSchema.required added: "a" [breaking]')
  expect(Object.keys(JSON.parse((await run(`${diff[0]} --json`)).stdout))).toEqual([
    'same',
    'breaking',
    'servers',
    'changes',
    'calls',
    'not_compared',
  ])
  expect(await run('reprise mcp diff agent.mjs agent.mjs')).toMatchObject({ code: 1 })
})

test('the cassette of the format page is one, with its own digests', async () => {
  const folder = tempFolder()
  const [cassette = ''] = blocks(page('format/mcp-cassette.md'), 'json')
  writeFileSync(join(folder, 'a.json'), cassette)
  expect(
    await reprise(['import', 'mcp-cassette', 'a.json', '--out', 'a.tape'], { cwd: folder }),
  ).toMatchObject({ code: 0, stderr: '' })
  await reprise(['export', 'mcp-cassette', 'a.tape', '--out', 'b.json'], { cwd: folder })
  expect(readFileSync(join(folder, 'b.json'), 'utf8')).toBe(cassette)
})
