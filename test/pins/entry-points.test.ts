/**
 * What each entry point of the package exports, as literals: a change here is a change for users, and belongs
 * into the CHANGELOG.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'

const surface: readonly { readonly entry: string; readonly values: string; readonly types: string }[] = [
  {
    entry: 'reprise',
    values: 'RepriseError errorCodes isRepriseError readTape record replay testbench verifyTape',
    types: `
      BoundarySetting ClockSetting Divergence ErrorCode MatchRules NetworkSetting PlainSetting RandomSetting
      RecordOptionsInProcess ReplayCategory ReplayMode ReplayOptionsInProcess ReplayReport
      ReplayResult ReplayedRecord RunSummary TapeEvent TapeVerdict Testbench TestbenchOptions TestbenchSession`,
  },
  {
    entry: 'reprise/tape',
    values: `
      EventTape MAX_INLINE_BYTES TAPE_FORMAT_VERSION TapeWriter activeRecorder casFolder casReferences
      contentHash createHeader createStreamingRecorder createTapeRecorder encodeRecord enterPhase
      inspectTape installRecorder kindName payloadLength payloadsOf prepareBlake3 readCasEntry readTape readTapeEvents
      realClock rebuildRequest recordDecisionEvaluation recordMcpJsonRpc recordModelJob repairTape replayEvaluations requestBytes runWithRecorder scrubTape
      selectRecords tapeSchema upstreamKinds verifyTape withActiveRecorder`,
    types: `
      BoundaryMode Chunk Completeness Damage DecisionEvaluation EvaluationReplay Finding FindingCode Gap HeaderFacts HeaderPairs Kind
      KindName KnownKind LostLine McpCall Payload PayloadStream Phase RecordFilter RecordKind
      RepairReport RunSummary ScrubTapeReport SealFacts TapeClock TapeEvent TapeHeader TapeReceipt TapeRecord
      TapeRecorder TapeSummary TapeVerdict TornLine UnknownKind VerifyOptions WriterOptions`,
  },
  {
    entry: 'reprise/travel',
    values: 'fork whatIf',
    types: 'ForkOptions TravelResult WhatIfOptions',
  },
  {
    entry: 'reprise/fidelity',
    values: `
      alignments annotationKinds annotationRow checkAnnotations compare compareTapes fidelityModes
      formatReport frictionEvent headline jsonDifferences judge loadAnnotations parseAlignment
      parseBudget parseFormat parseMode printScore reportFormats tapeFile warningSentence`,
    types: `
      Alignment Annotation AnnotationHeader AnnotationProblem AnnotationReport AnnotationSidecar Budget
      BudgetLine ChangedMessage Comparable CompareOptions Divergence DivergenceCode FidelityMode
      FidelityReport FidelityVerdict FieldDifference Finding Judgement PayloadDifference Place Presented
      ReportFormat TapeSource TextDifference Warning`,
  },
  {
    entry: 'reprise/state',
    values: `
      HANDOFF_KEY MAX_COMPONENT_BYTES MAX_KEY_BYTES MAX_SESSION_BYTES RepriseError activeSession
      checkSessionId initState isRepriseError listSessions normaliseKey openState parseConflictPolicy resumeState
      withSession`,
    types: `
      Backend Conflict ConflictPolicy DriverOptions Entry Handoff HandoffArtifact HandoffEnvelope HandoffTarget InitOptions
      PastVersion Scalar Schema StandardSchema StateChange StateHandle StateOptions StateReader
      StateTransaction StateWriter Version Watch WriteOptions WriteOutcome Writer`,
  },
  {
    entry: 'reprise/register',
    values: '',
    types: '',
  },
  {
    entry: 'reprise/scrub',
    values: 'createScrubber holdsPlaceholder isPlaceholder normalisePlaceholders',
    types: `
      BodyEnd BodyHead BodyScrubber FoundSpans ScrubOptions ScrubReport Scrubbed ScrubbedBytes
      ScrubbedJson ScrubbedText Scrubber Side StreamScrubber UserPattern UserRules`,
  },
  {
    entry: 'reprise/cassette',
    values: `
      CASSETTE_VERSION DEFAULT_ALLOWLIST DEFAULT_BG DEFAULT_FG FILES MODE REPLAY_MODES acquireRecordLock
      allowedEnvironment applyDelta castFrom createRecorder createStandInPty createTerminal
      createTextScrubber deltaOf diffCassettes emulator frameSvg framesWithCells fullFrames goDurationMs
      importCast isCassette isFresh keyBytes open openSync pasteBytes readCast readScript recordSession
      repairCassette replayMode screenAt scrubCassette scrubTerminal shellCode startSession transcript
      verifyCassette writeCast`,
    types: `
      CassetteDiff CassetteEvent CassetteFinding CassetteReader CassetteRepairReport CassetteScrubReport
      CassetteScrubResult CassetteVerdict Cast CastEvent CastVersion Cell Cursor Dated DeltaRun
      DiscoveryRecord Emulator ExitStatus FinalRecord Frame FrameDelta FrameRecord InputDraft InputKind
      InputRecord JsonObject LockHolder Manifest ManifestDraft OpenOptions OutputRecord QuotaRecord
      RecordLock RecordOptions Recorded Recorder RecorderOptions RepairOptions ReplayMode ReplayOptions
      ReplaySink ScreenDifference ScreenMoment ScriptStep ScrubCassetteOptions ScrubTerminalOptions
      ScrubbedString ServiceEventRecord Session SessionEvent SessionOptions Size Sleeper StandInOptions
      StandInPty Terminal TextScrubber TextScrubberOptions Timed`,
  },
  {
    entry: 'reprise/journal',
    values: `
      categories categoryOfKind checkRequiredCategories createExtendedView createFold csvHeader csvRow decodeEvent
      emptyOsSnapshot eventCategory eventKindNames eventPrimitive extendedView fold importLog
      isKernelOsEvent isKnownEvent isKnownKind openAuditInput openJournal openPostgresJournal
      otlpDocument parseOsSnapshot parseSessionEvent primitiveOfCategory primitiveOfKind primitives
      readJournal rebuildOsSnapshot sessionFiles sessionLogHasRequiredCategories unknownValues verifyJournal
      withCategory`,
    types: `
      AppendOptions AuditInput BudgetRecord BudgetUsageRecord CancellationRecord Category CategoryFinding CategoryLevel CategoryReport
      Content ContentPart Decoded EventKind EventProblem ExtendedView FileJournal FileJournalOptions
      FoldOptions FollowOptions ForeignEvent ImportMap ImportedLog Journal JournalDamage JournalEntry
      JournalFinding JournalVerdict KnownEvent Message OsSnapshot PostgresJournalOptions Primitive
      ProcessRecord ReadOptions Repair RollbackReason SessionEvent SessionEventOf SessionFiles
      SignalRecord SnapshotCompat SnapshotFold SuspendRecord ToolCall ToolResult UnknownValue ViewFold`,
  },
  {
    entry: 'reprise/vitest',
    values: 'expectFaithful recorded',
    types: '',
  },
  {
    entry: 'reprise/node-test',
    values: 'recorded',
    types: '',
  },
  {
    entry: 'reprise/jest',
    values: 'recorded',
    types: '',
  },
  {
    entry: 'reprise/mocha',
    values: 'recorded',
    types: '',
  },
]

const root = fileURLToPath(new URL('../../', import.meta.url))
const manifest: { readonly exports: Readonly<Record<string, { readonly types: string } | string>> } =
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

test('the entry points are those of package.json', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')
  expect(surface.map(({ entry }) => entry)).toEqual(entries.map((entry) => entry.replace(/^\./, 'reprise')))
})

test.each(surface)('$entry exports these values, imported and required', ({ entry, values }) => {
  const program = `
    import { createRequire } from 'node:module'
    const require = createRequire(${JSON.stringify(join(root, 'package.json'))})
    const names = (module) => Object.keys(module).filter((name) => name !== '__esModule').sort()
    console.log(JSON.stringify([names(await import('${entry}')), names(require('${entry}'))]))`
  const printed = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(JSON.parse(printed)).toEqual([words(values), words(values)])
})

test.each(surface)('$entry exports these types', ({ entry, values, types }) => {
  const target = manifest.exports[entry.replace('reprise', '.')]
  const declared = new Set(typeof target === 'object' ? declaredNames(join(root, target.types)) : [])
  for (const value of words(values)) expect(declared.delete(value), value).toBe(true)
  expect([...declared].sort()).toEqual(words(types))
})

/** The names that a declaration file exports, with those of the files it re-exports whole. */
function declaredNames(path: string): string[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'))
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, moduleRequest }) => {
      if (exportName.name !== null) return [exportName.name]
      if (moduleRequest === null) throw new Error(`${path}: an export without a name`)
      return declaredNames(resolve(dirname(path), moduleRequest.value.replace(/\.(js|ts)$/, '.d.ts')))
    })
}
