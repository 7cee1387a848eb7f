/**
 * The report as JSON: upstream's five keys first, in its order and spelling (`score` with its decimal point),
 * then ours. Two spaces, no line break at the end.
 */
import type { Divergence, Finding, Place } from '../divergence.ts'
import type { PayloadDifference } from '../payload-difference.ts'
import { printScore } from '../score.ts'
import { warningSentence } from '../sentences.ts'
import type { Warning } from '../warnings.ts'
import type { Presented } from './presented.ts'

export function formatJson({ report, judgement, recordedName, replayName, children }: Presented): string {
  const theirs = {
    mode: report.mode,
    recorded_records: report.recordedRecords,
    replay_records: report.replayRecords,
    divergences: report.divergences.map(({ seq, category, message }) => ({ seq, category, message })),
  }
  const ours = {
    align: report.align,
    warnings: report.warnings.map(warningObject),
    findings: report.findings.map(findingObject),
    verdict: report.verdict,
    passed: judgement.passed,
    budget: judgement.lines,
    categories: report.categories,
    gaps: { recorded: report.gaps.recorded, replay: report.gaps.replayed },
    divergence_count: report.divergenceCount,
    finding_count: report.findingCount,
    recorded: recordedName,
    replay: replayName,
    ...(children === undefined
      ? {}
      : { children: children.map(({ name, verdict, message }) => ({ tape: name, verdict, message })) }),
  }
  return `${members(theirs)},\n  "score": ${printScore(report.score)},\n${members(ours).slice('{\n'.length)}\n}`
}

function members(value: object): string {
  return JSON.stringify(value, null, 2).slice(0, -'\n}'.length)
}

function warningObject(warning: Warning): object {
  const message = warningSentence(warning)
  const side = warning.side === 'replayed' ? 'replay' : warning.side
  return { ...warning, side, message }
}

function findingObject({ recorded, replayed, lastMatch, divergences }: Finding): object {
  return {
    recorded: placeObject(recorded),
    replay: placeObject(replayed),
    last_match: placeObject(lastMatch),
    divergences: divergences.map(divergenceObject),
  }
}

function placeObject(place: Place | null): object | null {
  return place === null
    ? null
    : { seq: place.seq, kind: place.kind, line: place.line === 0 ? null : place.line, summary: place.summary }
}

function divergenceObject({ category, code, path, expected, actual, payload }: Divergence): object {
  return { category, code, path, expected, actual, payload: payload === null ? null : payloadObject(payload) }
}

function payloadObject(payload: PayloadDifference): object {
  switch (payload.form) {
    case 'json': {
      const { form, changedMessage, differences, more } = payload
      return { form, changed_message: changedMessage, differences, more }
    }
    case 'bytes':
      return {
        form: payload.form,
        offset: payload.offset,
        expected_bytes: payload.expectedBytes,
        actual_bytes: payload.actualBytes,
      }
    case 'text':
      return payload
    case 'unavailable':
      return { ...payload, side: payload.side === 'replayed' ? 'replay' : payload.side }
  }
}
