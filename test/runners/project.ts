/**
 * A project of a user with a test runner and a copy of the built package, and a server that the tests ask.
 */
import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export type Project = {
  readonly folder: string
  run(
    runner: readonly string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<ChildRun & { readonly text: string; readonly seen: string[] }>
  tapes(file: string): string[]
}

export function project(files: Readonly<Record<string, string>>): Project {
  const folder = realpathSync(tempFolder())
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  for (const name of ['vitest', 'jest', 'mocha', '@xterm'])
    symlinkSync(realpathSync(join(root, 'node_modules', name)), join(modules, name))
  cpSync(join(root, 'dist'), join(modules, 'reprise/dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(modules, 'reprise/package.json'))
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files }))
    writeFileSync(join(folder, name), text)
  return {
    folder,
    async run(runner, env = {}) {
      const clean = {
        ...process.env,
        CI: '',
        NO_COLOR: '1',
        REPRISE_MODE: 'auto',
        VITEST: undefined,
        NODE_TEST_CONTEXT: undefined,
      }
      const done = await runChild(process.execPath, runner, { cwd: folder, env: { ...clean, ...env } })
      const text = done.stdout + done.stderr
      return {
        ...done,
        text,
        seen: [...text.matchAll(/SEEN (\[.*?\])/g)].map(([, seen = '']) => seen).sort(),
      }
    },
    tapes: (file) => readdirSync(join(folder, '__tapes__', file)).filter((name) => name.endsWith('.tape')),
  }
}

export const vitest = (...args: string[]): string[] => [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  ...args,
]
export const jest = (...args: string[]): string[] => [
  '--experimental-vm-modules',
  '--no-warnings',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--ci=false',
  ...args,
]
export const mocha = (...args: string[]): string[] => [join(root, 'node_modules/mocha/bin/mocha.js'), ...args]

export async function answeringServer(): Promise<{ readonly url: string; close(): void }> {
  const server = http.createServer((request, response) => response.end(`answer to ${request.url}`))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
