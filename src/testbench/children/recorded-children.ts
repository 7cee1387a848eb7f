/**
 * Gives each child of a recorded process what it needs to record itself, if it is a Node process or starts
 * one: a module that Node preloads, the name of its tape, the settings of this recording.
 *
 * Values that this process knows to be secrets go to a Node child over a pipe, which its recorder reads
 * before the program begins. A shell gets only the positions of secrets in its own environment: every command
 * in a shell sees its environment.
 *
 * Decisions 0315, 0316 and 0416.
 */
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { utf8 } from '../../base/index.ts'
import {
  isNode,
  optionsOfNode,
  runsProgram,
  type StartedNode,
} from '../../boundaries/process/launched-child.ts'
import type { RecordChild, RecordedChild } from '../../boundaries/process/recorded-child.ts'
import { fs } from '../../real/fs.ts'
import { realCwd, realPid } from '../../real/process.ts'
import type { Scrubbed, Scrubber } from '../../scrub/index.ts'
import {
  childrenFolder,
  childSeals,
  childTapeName,
  hasChildTape,
  parentName,
} from '../../tape/children-folder.ts'
import type { SealFacts } from '../../tape/index.ts'
import { NOT_RECORDED } from '../../tape/inspect.ts'
import type { ChildSettings, KnownSecret, SecretPlace } from './child-settings.ts'
import type { RecordSources } from './record-sources.ts'

export type RecordedChildren = {
  readonly recordChild: RecordChild
  /** For the seal of the parent, when it ends. */
  seals(): Pick<Scrubbed<SealFacts>, 'children'>
}

/** `path` of the tape. A child may have another working directory. */
export function recordChildren(path: string, sources: RecordSources, scrubber: Scrubber): RecordedChildren {
  const tape = resolve(realCwd(), path)
  let number = 0
  const ended = new Set<string>()
  let found: string | null | undefined
  const recordChild: RecordChild = (child, pipe): RecordedChild | null => {
    // Looked for when the first child is started: most programs start none.
    const preload = found === undefined ? preloadWord() : found
    found = preload
    if (preload === null) return null
    number += 1
    const missing = missingText(child, scrubber)
    if (refusesPreload(child))
      return { env: child.env, secrets: null, result: () => ({ tape: null, missing }) }
    const hasPipe = isNode(child.file) && pipe !== null
    const secrets = hasPipe ? knownSecrets(scrubber) : null
    const own: ChildSettings = {
      parent: parentName(tape),
      number,
      pipe: secrets === null ? null : pipe,
      parentPid: realPid,
      secretEnv: hasPipe ? [] : secretPlaces(child.env, scrubber),
    }
    const name = childTapeName(number, 1)
    return {
      env: childEnv(child.env, preload, join(childrenFolder(tape), name), {
        sources: sourcesOf(sources, number),
        child: own,
      }),
      secrets,
      result() {
        if (isNode(child.file)) ended.add(name)
        return { tape: hasChildTape(tape, name) ? name : null, missing }
      },
    }
  }
  return {
    recordChild,
    seals() {
      const children = childSeals(tape, ended)
      return Object.keys(children).length === 0 ? {} : { children }
    },
  }
}

/**
 * A layer belongs to one process: what a child writes reaches the disk. Each child draws its own randomness.
 */
function sourcesOf(sources: RecordSources, number: number): RecordSources {
  const { files, seed } = sources
  return {
    ...sources,
    ...(files === undefined ? {} : { files: { ...files, source: 'real' } }),
    ...(seed === undefined ? {} : { seed: `${seed}/${number}` }),
  }
}

function childEnv(
  env: Readonly<Record<string, string>>,
  preload: string,
  tape: string,
  settings: { readonly sources: RecordSources; readonly child: ChildSettings },
): Record<string, string> {
  const before = env.NODE_OPTIONS
  return {
    ...env,
    NODE_OPTIONS: [...(before === undefined || before === '' ? [] : [before]), preload].join(' '),
    REPRISE_MODE: 'record',
    REPRISE_TAPE: tape,
    REPRISE_SETTINGS: JSON.stringify({ ...settings, nodeOptions: before ?? null }),
  }
}

/** `--require`, which every Node accepts: an old one must not fail because of us. Null if it is not built. */
function preloadWord(): string | null {
  const path = preloadPaths().find((each) => fs.existsSync(each))
  return path === undefined ? null : `"--require=${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Engine and library are one file each: there `import.meta.url` is the path of that file. */
function preloadPaths(): string[] {
  const here = import.meta.url
  const folder = dirname(here.startsWith('file:') ? fileURLToPath(here) : here)
  return ['child.cjs', '../entry/child.cjs', '../../entry/child.cjs'].map((path) => join(folder, path))
}

/** Not an option of a program, such as `--permission-mode`. */
const PERMISSION = /(?:^|[\s"'])--(?:experimental-)?permission(?=$|[\s"';&|)])/

/** Under Node's permission model our module may not be read, and the child would fail. */
function refusesPreload({ file, args, env }: StartedNode): boolean {
  const words = isNode(file) ? optionsOfNode(args) : args
  return words.some((word) => PERMISSION.test(word)) || PERMISSION.test(env.NODE_OPTIONS ?? '')
}

const COMMAND_OF_NODE = /(?:^|[\s;&|(`"'=/])(?:node|nodejs|npx|npm|pnpm|yarn|tsx)(?:["'\s;&|)`]|$)/
const MAX_SHOWN = 80

/**
 * The note if there is no tape; null for a child that need not be a Node process. Secrets are replaced before
 * the text is cut: the scrubber does not recognise the first part of a secret.
 */
function missingText(child: StartedNode, scrubber: Scrubber): string | null {
  const words = [child.file, ...child.args.slice(1)]
  const isOfNode = isNode(child.file) ? runsProgram(child.args) : COMMAND_OF_NODE.test(words.join(' '))
  if (!isOfNode) return null
  const shown = [scrubber.text(child.file, 'sent'), ...scrubber.argv(child.args.slice(1))].join(' ')
  const why = refusesPreload(child) ? ' (it has the permission model of Node)' : ''
  return `${NOT_RECORDED}${why}: ${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown}`
}

const MAX_SECRETS = 2000

function knownSecrets(scrubber: Scrubber): Uint8Array | null {
  const known: readonly KnownSecret[] = scrubber.secrets().slice(-MAX_SECRETS)
  return known.length === 0 ? null : utf8(JSON.stringify(known))
}

function secretPlaces(env: Readonly<Record<string, string>>, scrubber: Scrubber): SecretPlace[] {
  if (scrubber.known === 0) return []
  return Object.entries(env).flatMap(([name, value]) =>
    scrubber.find(value, 'sent', true).spans.map(({ kind, start, end }) => [name, kind, start, end] as const),
  )
}
