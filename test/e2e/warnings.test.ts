/** Node warns of a deprecated module of its own by who asks for it: recording changes nothing about that. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  ['a package asks: no warning', `require('old-package')`, 0],
  ['the program asks: a warning', `require('punycode')`, 1],
])('%s', async (_name, source, warnings) => {
  const node = newerNode('node24') ?? process.execPath
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules', 'old-package'), { recursive: true })
  writeFileSync(
    join(folder, 'node_modules', 'old-package', 'index.js'),
    `module.exports = require('punycode')`,
  )
  writeFileSync(join(folder, 'agent.cjs'), `${source}; console.log('loaded')`)
  const warningsIn = (text: string): number => text.split('DEP0040').length - 1
  const plain = await runChild(node, ['agent.cjs'], { cwd: folder })
  expect(warningsIn(plain.stderr)).toBe(newerNode('node24') === null ? 0 : warnings)
  const recorded = await reprise(['record', '--out', 'run.tape', '--', node, 'agent.cjs'], { cwd: folder })
  expect([recorded.code, recorded.stdout, warningsIn(recorded.stderr)]).toEqual([
    0,
    plain.stdout,
    warningsIn(plain.stderr),
  ])
})
