/**
 * Descriptor 0, which the program has without opening it: `readFileSync(0)` and `readSync(0, …)` are recorded
 * like any other open file, under the name `/dev/stdin`, and a replay never reads the real one.
 * `process.stdin` is a separate stream (../stdio/stdin.ts).
 *
 * Decision 0216.
 */
import type { SessionFiles } from './files-of-session.ts'
import { OpenFile } from './open-file.ts'

const INPUT = { given: '/dev/stdin', absolute: '/dev/stdin', portable: '/dev/stdin' }

export function withStandardInput(files: SessionFiles): SessionFiles {
  if (files.knowsInput) return files
  files.knowsInput = true
  if (!files.isIgnored(INPUT.portable) && !files.open.has(0))
    files.open.set(0, new OpenFile(files, INPUT, 'r'))
  return files
}
