/**
 * A pipe that nobody writes to, or a device, where a command expects a file: refused with a code, without
 * waiting.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const folder = tempFolder()
const pipe = join(folder, 'pipe')
execFileSync('mkfifo', [pipe])
writeFileSync(
  join(folder, 'a.tape'),
  '{"type":"header","version":1,"harn_version":"0.8.4","started_at_unix_ms":null,"script_path":null,"argv":[]}\n',
)
writeFileSync(join(folder, 'j.jsonl'), '')
execFileSync('mkfifo', [join(folder, 'j.checkpoints.jsonl')])

test.each([
  ['cassette import', ['cassette', 'import', pipe, '--out', join(folder, 'c')]],
  ['import process-tape', ['import', 'process-tape', pipe, '--out', join(folder, 'p.tape')]],
  ['verify --key', ['verify', join(folder, 'a.tape'), '--key', pipe]],
  ['state write --file', ['state', 'write', 'key', '--file', pipe, '--root', folder, '--session', 's']],
  [
    'cassette record --script',
    ['cassette', 'record', '--script', pipe, '--out', join(folder, 'r'), '--', 'true'],
  ],
  ['checkpoints of a journal', ['audit', 'verify', join(folder, 'j.jsonl')]],
  ['a device', ['cassette', 'import', '/dev/zero', '--out', join(folder, 'd')]],
])('%s', async (_name, args) => {
  const run = await reprise(args, { cwd: folder })
  expect([1, 125]).toContain(run.code)
  expect(run.stderr).toContain('[not-a-file]')
})
