/** Compares the plain run of a program with its recording and its replay: exit code, signal, output. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { recordProgram } from './recorded-program.ts'
import { runChild } from './run-child.ts'
import { tempFolder } from './temp-folder.ts'

/** A line of a program that uses what is patched. */
export const USE = `console.log(Math.random() >= 0, Date.now() > 0, new Date() > 0, process.pid > 0)`

const SIGNALS: Readonly<Record<string, number>> = { SIGABRT: 134, SIGKILL: 137 }

export async function expectSameEnd(source: string): Promise<void> {
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), source)
  const plain = await runChild('/bin/sh', ['-c', 'ulimit -c 0; "$0" agent.mjs; exit $?', process.execPath], {
    cwd: folder,
  })
  const program = await recordProgram(source)
  expect([program.recorded.code, program.recorded.stdout]).toEqual([plain.code, plain.stdout])
  const { exit } = JSON.parse(readFileSync(program.tape, 'utf8').trimEnd().split('\n').at(-1) ?? '{}').kind
  expect(exit.signal === null ? exit.code : SIGNALS[exit.signal]).toBe(plain.code)
  const replayed = await program.replay()
  expect([replayed.report.verdict, replayed.code, replayed.stdout]).toEqual([
    'faithful',
    plain.code,
    plain.stdout,
  ])
}
