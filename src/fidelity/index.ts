export { type Annotation, type AnnotationHeader, annotationKinds } from './annotations/annotation.ts'
export { type AnnotationProblem, type AnnotationReport, checkAnnotations } from './annotations/check.ts'
export { annotationRow, frictionEvent } from './annotations/export.ts'
export { type AnnotationSidecar, loadAnnotations } from './annotations/load.ts'
export { type Budget, type BudgetLine, type Judgement, judge, parseBudget } from './budget.ts'
export { type CompareOptions, compare } from './compare.ts'
export { compareTapes } from './compare-tapes.ts'
export type { Divergence, DivergenceCode, Finding, Place } from './divergence.ts'
export { formatReport, parseFormat, type ReportFormat, reportFormats } from './formats/index.ts'
export { headline, type Presented } from './formats/presented.ts'
export { type FieldDifference, jsonDifferences } from './json-difference.ts'
export {
  type Alignment,
  alignments,
  type FidelityMode,
  fidelityModes,
  parseAlignment,
  parseMode,
} from './modes.ts'
export type { ChangedMessage, PayloadDifference, TextDifference } from './payload-difference.ts'
export type { FidelityReport, FidelityVerdict } from './report.ts'
export { printScore } from './score.ts'
export { warningSentence } from './sentences.ts'
export { type Comparable, type TapeSource, tapeFile } from './source.ts'
export type { Warning } from './warnings.ts'
