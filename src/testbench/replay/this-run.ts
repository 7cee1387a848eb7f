/**
 * Where the records of a recorded run go on the tape of its replay. What the recorder noted beside an outcome goes along as it is read past; what followed from
 * a deed of the program waits for that deed; what the program asks for is written when it asks, at the place that it had; what was noted at the end
 * waits for the end. Does nothing while no tape is emitted.
 */
import type { TapeRecord } from '../../tape/index.ts'
import { isOfTheEnd, unlessPayloadIsGone } from '../files/unfinished-writes.ts'
import { type EmittedTape, noTape } from './emitted-tape.ts'
import { SaidInTurn } from './said-in-turn.ts'

export type ThisRun = {
  readonly said: SaidInTurn
  /** This record was read past. */
  passed(record: TapeRecord): void
  /** Sets the time of what is written next to that of the record it was on the tape, if this turn has it. */
  standAtAsked(what: string): void
  /** What the recorder noted when the program had ended. */
  writeEnd(): void
}

/** `readTurn` reads the tape on to the end of the turn. */
export function thisRun(emit: EmittedTape, readTurn: () => void): ThisRun {
  const said = new SaidInTurn(
    (record) => emit.served(record, null),
    () => (emit === noTape ? undefined : readTurn()),
  )
  /** What the program asks for in this turn. */
  const asked = new Map<string, TapeRecord>()
  const atEnd: TapeRecord[] = []
  return {
    said,
    passed(record) {
      if (emit === noTape || said.keep(record)) return
      const { kind } = record
      if (isOfTheEnd(kind)) atEnd.push(record)
      else if (kind.kind === 'effect_start') asked.set(`effect ${kind.id}`, record)
      else if (kind.kind === 'env_read') asked.set(`fact ${kind.api} ${kind.name}`, record)
      else if (kind.kind !== 'tape_seal') emit.served(record, null)
    },
    standAtAsked(what) {
      if (emit === noTape) return
      readTurn()
      const record = asked.get(what)
      if (record !== undefined) emit.standAt(record)
      asked.delete(what)
    },
    writeEnd() {
      for (const record of atEnd.splice(0)) unlessPayloadIsGone(() => emit.served(record, null))
    },
  }
}
