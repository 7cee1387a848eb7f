/**
 * The subprocesses of a tape as a process tape, in the order in which they ended. Output that is no UTF-8 is
 * damaged, as it is in Harn, and fields that the format does not have are left out: both are reported.
 */
import { type Json, textOrNull } from '../../base/index.ts'
import { type Kind, readTapeEvents } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { type ProcessTapeEntry, writeProcessTape } from './process-tape.ts'

export type ExportedProcessTape = {
  readonly text: string
  readonly entries: number
  readonly notes: readonly string[]
}

export function exportProcessTape(tape: string): ExportedProcessTape {
  const entries: ProcessTapeEntry[] = []
  const left = { binary: 0, stdin: 0, signal: 0, running: 0 }
  const payloads = tapePayloads(tape)
  const textOf = (payload: Kind<'process_spawn'>['stdoutPayload']): string => {
    const bytes = payloads(payload)
    const text = textOrNull(bytes)
    if (text === null) left.binary += 1
    return text ?? Buffer.from(bytes).toString()
  }
  const running = new Set<number>()
  for (const event of readTapeEvents(tape)) {
    if (event.type !== 'record') continue
    const { kind } = event.record
    if (kind.kind === 'effect_start' && kind.boundary === 'process') running.add(kind.id)
    if (kind.kind !== 'process_spawn') continue
    const { effect, env } = membersOf(kind.io)
    if (typeof effect === 'number') running.delete(effect)
    if (kind.stdin !== undefined) left.stdin += 1
    if (kind.signal !== undefined) left.signal += 1
    entries.push({
      program: kind.program,
      args: kind.args,
      cwd: kind.cwd,
      env: textsOf(env),
      stdout: textOf(kind.stdoutPayload),
      stderr: textOf(kind.stderrPayload),
      exitCode: kind.exitCode,
      durationMs: kind.durationMs,
    })
  }
  left.running = running.size
  return { text: writeProcessTape(entries), entries: entries.length, notes: notesOf(left) }
}

function notesOf({
  binary,
  stdin,
  signal,
  running,
}: Readonly<Record<'binary' | 'stdin' | 'signal' | 'running', number>>): string[] {
  return [
    ...(binary === 0
      ? []
      : [`${binary} output(s) are no UTF-8: a process tape holds text only, and they are damaged in it`]),
    ...(stdin === 0
      ? []
      : [`the stdin of ${stdin} subprocess(es) is left out: a process tape has no place for it`]),
    ...(signal === 0
      ? []
      : [`the signal that ended ${signal} subprocess(es) is left out: its exit_code is -1`]),
    ...(running === 0 ? [] : [`${running} subprocess(es) had not ended with the run, and are left out`]),
  ]
}

function membersOf(io: Json | undefined): { readonly [name: string]: Json } {
  return typeof io === 'object' && io !== null && !Array.isArray(io)
    ? (io as { readonly [name: string]: Json })
    : {}
}

function textsOf(value: Json | undefined): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [name, text] of Object.entries(membersOf(value)))
    if (typeof text === 'string') texts[name] = text
  return texts
}
