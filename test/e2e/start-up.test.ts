/**
 * What `--import reprise/register` makes a process load: next to nothing while idle, and not what a recording
 * can do without.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { compiledPath, loadCompiled } from '../../src/real/load-compiled.ts'
import { tempFolder } from '../support/temp-folder.ts'

const register = new URL('../../dist/entry/register.js', import.meta.url).href
const LOADED = `console.log(JSON.stringify({ builtins: process.moduleLoadList.filter((each) => each.startsWith('NativeModule ')), files: Object.keys(require.cache) }))`

const PATCHED_LATE = ['zlib', 'readline', 'crypto', 'tls', 'dns', 'net', 'http', 'child_process']

type Loaded = { readonly builtins: readonly string[]; readonly files: readonly string[] }

function loadedWith(preload: string, env: Readonly<Record<string, string>>): Loaded {
  const folder = tempFolder()
  writeFileSync(join(folder, 'program.cjs'), LOADED)
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', preload, join(folder, 'program.cjs')], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const { builtins, files }: Loaded = JSON.parse(stdout)
  return { builtins, files: files.filter((file) => !file.endsWith('program.cjs')) }
}

function emptyPreload(): string {
  const path = join(tempFolder(), 'empty.mjs')
  writeFileSync(path, "import 'node:module'")
  return pathToFileURL(path).href
}

test.each([{}, { REPRISE_TAPE: 'unused.tape' }, { REPRISE_MODE: 'off', REPRISE_TAPE: 'unused.tape' }])(
  'idle, it loads no module that an empty preload does not load: %j',
  (env) => {
    const bare = loadedWith(emptyPreload(), {})
    const idle = loadedWith(register, env)
    expect(idle.files).toEqual([])
    expect(idle.builtins.filter((each) => !bare.builtins.includes(each))).toEqual([])
  },
)

test('the idle entry imports nothing of ours', () => {
  const text = readFileSync(new URL(register), 'utf8')
  expect(
    [...text.matchAll(/^\s*(?:import|export)\b[^'"]*['"]([^'"]+)['"]/gm)].map(([, from]) => from),
  ).toEqual([])
  expect(text).not.toMatch(/\bimport\(/)
})

test('recording, it loads the engine and leaves out what only few programs need', () => {
  const { files, builtins } = loadedWith(register, {
    REPRISE_MODE: 'record',
    REPRISE_TAPE: join(tempFolder(), 'run.tape'),
  })
  expect(files).toEqual([])
  for (const heavy of [
    'http2',
    'inspector',
    'sqlite',
    'cluster',
    'repl',
    'internal/deps/undici/undici',
    ...PATCHED_LATE,
  ])
    expect(builtins).not.toContain(`NativeModule ${heavy}`)
})

test.each([
  [['--max-old-space-size=4096'], false],
  [['--stack-trace-limit=50', '--expose-gc'], false],
  [['--no-lazy'], true],
])('compiled code with %j: refused %j', (flags, isRefused) => {
  const folder = tempFolder()
  const loader = new URL('../../dist/real/load-compiled.js', import.meta.url).href
  const [file, program] = [join(folder, 'file.cjs'), join(folder, 'program.mjs')]
  writeFileSync(file, '(function (exports) { exports.n = 1 })')
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'
    import { compiledPath, loadCompiled } from '${loader}'
    const { script } = loadCompiled(${JSON.stringify(file)})
    if (process.execArgv.length > 0) console.log(script.cachedDataRejected)
    else writeFileSync(compiledPath(${JSON.stringify(file)}), script.createCachedData())`,
  )
  const run = (options: readonly string[]): string =>
    spawnSync(process.execPath, [...options, program], { encoding: 'utf8' }).stdout
  run([])
  expect(run(flags)).toBe(`${isRefused}\n`)
})

test('what V8 kept of the engine is taken by this Node, and the engine starts without it too', () => {
  const engine = fileURLToPath(new URL('../../dist/entry/engine.cjs', import.meta.url))
  expect(loadCompiled(engine).script.cachedDataRejected).toBe(false)
  const alone = join(tempFolder(), 'engine.cjs')
  copyFileSync(engine, alone)
  expect(Object.keys(loadCompiled(alone).exports)).toEqual(['registerProcess'])
  // Another text: V8 remembers the one that this process has compiled.
  writeFileSync(alone, `${readFileSync(engine, 'utf8')}\n// more`)
  writeFileSync(compiledPath(alone), 'of no use')
  const { script, exports } = loadCompiled(alone)
  expect([script.cachedDataRejected, Object.keys(exports)]).toEqual([true, ['registerProcess']])
})

const LOCALITY = `import { realLocale, realTimeZone } from ${JSON.stringify(new URL('../../dist/real/locality.js', import.meta.url).href)}
const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
const hour = (zone) => new Date(1e12).toLocaleString('en', { timeZone: zone })
console.log(JSON.stringify([realLocale(), locale, hour(realTimeZone()), hour(timeZone)]))`

test.each([
  {},
  { LANG: 'C.UTF-8', TZ: 'UTC' },
  { LANG: 'en_US.UTF-8', TZ: 'Europe/Berlin' },
  { LANG: 'de_DE.UTF-8', LC_ALL: 'pt_BR', TZ: 'Asia/Kolkata' },
  { LANG: 'xx', LC_MESSAGES: 'POSIX', TZ: ':America/New_York' },
  { LANG: 'sr_RS@latin', TZ: 'Etc/GMT+5' },
])('time zone and locale, read without Intl, are those of Intl: %j', (settings) => {
  const { LANG: _lang, LC_ALL: _all, LC_MESSAGES: _messages, TZ: _zone, ...env } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', LOCALITY], {
    env: { ...env, ...settings },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const [locale, localeOfIntl, hour, hourOfIntl] = JSON.parse(stdout)
  expect([locale, hour]).toEqual([localeOfIntl, hourOfIntl])
})
