import { afterEach, expect, test, vi } from 'vitest'
import { hasHarmlessFlags } from './fit-compiled.ts'

const { execArgv } = process
afterEach(() => {
  vi.unstubAllEnvs()
  process.execArgv = execArgv
})

test.each([
  [[], ''],
  [['--max-old-space-size=4096'], ''],
  [['--max_old_space_size=4096', '--import', 'file:///a/register.js'], ''],
  [['--import=tsx', '-r', './a.cjs', '--no-warnings'], '--stack-trace-limit=50  --expose-gc'],
  [['--experimental-permission', '--allow-fs-read=*', '--enable-source-maps'], ''],
  [[], '--require "./my file.cjs" --max-old-space-size=4096'],
])('compiled code fits: %j %j', (options, nodeOptions) => {
  process.execArgv = [...options]
  vi.stubEnv('NODE_OPTIONS', nodeOptions)
  expect(hasHarmlessFlags()).toBe(true)
})

test.each([
  [['--jitless'], ''],
  [['--max-old-space-size=4096', '--no-opt'], ''],
  [['--max-old-space-size-of-mine=1'], ''],
  [['--interpreted-frames-native-stack'], ''],
  [[], '--max-old-space-size=4096 --perf-basic-prof'],
  [['--harmony-temporal'], ''],
  [[], '--max-old-space-size=4096 "--jitless"'],
])('V8 must judge: %j %j', (options, nodeOptions) => {
  process.execArgv = [...options]
  vi.stubEnv('NODE_OPTIONS', nodeOptions)
  expect(hasHarmlessFlags()).toBe(false)
})
