/**
 * Terminals that the program drives. Each has its own cassette next to the tape, and the tape has the
 * order in which the program was given what is in it. The bytes are in the cassette, because only there can a
 * secret be masked that was painted out of order.
 *
 * The cassette is in place before the record that names it. One that cannot be written, or that would still
 * show a secret, is a gap. In a replay the bytes come from the recorded cassette; a hash of what was
 * delivered shows that they are the same, and the cassette itself is copied.
 */
import { type ContentHash, createBlake3, label } from '../../base/index.ts'
import type { TerminalFacts } from '../../boundaries/session.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import { copyCassette } from '../../tape/cassettes-folder.ts'
import type { EffectCode, EffectFamily, Origin, SessionFamily, Tools } from '../session/family.ts'
import { type CassetteSink, cassetteSinks } from './cassette-sink.ts'
import { replayedTerminals } from './replayed-terminals.ts'
import { terminalStarts } from './terminal-starts.ts'

export const terminalFamily: EffectFamily = {
  name: 'terminal',
  takes: ({ terminal }) => terminal !== undefined,
  create: (tools) => terminals(tools),
}

const BY_PROGRAM = label('program')
const NO_TERMINAL: TerminalFacts = {
  program: '',
  args: [],
  cwd: null,
  term: '',
  cols: 0,
  rows: 0,
  start: { env: {}, options: {} },
}

type Exit = { readonly exitCode: number; readonly signal: number }

function terminals(tools: Tools): SessionFamily {
  const { recorder, scrubber, tape } = tools
  const open = new Set<{ end(exit: Exit | null): void }>()
  const sinks = cassetteSinks(tools)
  const starts = terminalStarts(tools)
  const replayed = tape === null ? null : replayedTerminals(tape.path, tape.index)

  const openTerminal = (id: number, facts: TerminalFacts, origin: Origin): EffectCode => {
    const before = scrubber.hits
    const unreadable = origin.type === 'world' ? null : (replayed?.begin(origin.effect) ?? null)
    if (unreadable !== null) throw divergenceError(tools.diverge(unreadable))
    const sink = origin.type === 'world' ? sinks.open(id, facts) : recordedSink(origin.effect, tools)
    let offset = 0
    let n = 0
    const terminal = {
      end(exit: Exit | null): void {
        if (!open.delete(terminal)) return
        const { name, manifestHash, outputHash } = sink.close(exit)
        const kind = {
          kind: 'terminal_session',
          program: scrubber.text(facts.program, 'sent'),
          args: scrubber.argv(facts.args),
          cassette: name,
          exitCode: exit?.exitCode ?? null,
          of: id,
          ...(outputHash === null ? {} : { outputHash }),
          ...(manifestHash === null ? {} : { manifestHash }),
          ...(exit === null || exit.signal === 0 ? {} : { signal: exit.signal }),
          ...(exit === null ? { closedBy: BY_PROGRAM } : {}),
        } as const
        recorder.record(kind, origin.type === 'world' ? scrubber.hits - before : sink.scrubbed)
      },
    }
    open.add(terminal)
    return {
      encode({ outcome }) {
        if (outcome.type === 'terminal_exit') terminal.end(outcome)
        if (outcome.type !== 'chunk') return null
        sink.output(outcome.bytes)
        recorder.record({ kind: 'terminal_output', of: id, n, offset, lenBytes: outcome.bytes.byteLength })
        n += 1
        offset += outcome.bytes.byteLength
        return null
      },
      decode(record) {
        const { kind } = record
        const recorded = { at: record }
        if (kind.kind === 'terminal_output')
          return [
            { outcome: { type: 'chunk', bytes: replayed?.bytesOf(kind) ?? new Uint8Array() }, recorded },
          ]
        if (kind.kind !== 'terminal_session') return []
        return [
          {
            outcome: { type: 'terminal_exit', exitCode: kind.exitCode ?? 0, signal: kind.signal ?? 0 },
            recorded,
          },
        ]
      },
      did(action) {
        if (origin.type === 'world') return sink.did(action)
        const other = replayed?.did(origin.effect, action) ?? null
        if (other !== null) throw divergenceError(tools.diverge(other))
      },
      abandon: () => undefined,
    }
  }

  return {
    describe(id, { key, options }) {
      const facts = options.terminal ?? NO_TERMINAL
      return {
        keys: [scrubber.text(key, 'sent')],
        start: (origin) => starts.written(facts, origin),
        open(origin) {
          starts.check(facts, origin, key)
          return openTerminal(id, facts, origin)
        },
      }
    },
    end() {
      for (const terminal of [...open]) terminal.end(null)
      sinks.end()
    },
    leftovers: () => replayed?.left() ?? [],
  }
}

/** In a replay: hashes what is delivered, and copies the recorded cassette next to the new tape. */
function recordedSink(effect: number, { tape, out, recorder }: Tools): CassetteSink {
  const recorded = tape?.index.cassetteOf(effect) ?? null
  const output = createBlake3()
  return {
    scrubbed: recorded?.scrubbed ?? 0,
    output: (bytes) => output.update(bytes),
    did: () => undefined,
    close() {
      const name: ScrubbedText =
        recorded === null || recorded.name === '' ? scrubbedText`` : scrubbedText`${recorder.nextSeq()}`
      if (recorded !== null && tape !== null && out !== null && name !== '')
        copyCassette(tape.path, recorded.name, out, name)
      const outputHash: ContentHash | null = recorded?.hasOutputHash === true ? output.digest() : null
      return { name, manifestHash: recorded?.hash ?? null, outputHash }
    },
  }
}
