/** The fields of `effect_start` for a subprocess, in a recording and in a replay. */
import { fieldsOf, type Json } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { startedAs } from '../../real/program.ts'
import type { ScrubbedJson, Scrubber } from '../../scrub/index.ts'
import { environmentFields } from '../records/child-environment.ts'
import { sameStream } from './start-difference.ts'

export function startOf(child: ChildStart, scrubber: Scrubber): ScrubbedJson {
  return {
    program: scrubber.text(child.program, 'sent'),
    args: [...scrubber.argv(child.args)],
    cwd: child.cwd === null ? null : scrubber.text(child.cwd, 'sent'),
    ...environmentFields(child, scrubber),
    stdio: child.stdio.map((use) => scrubber.text(use, 'sent')),
    ...scrubber.value(child.options, 'sent'),
    ...(child.errno === 0 ? {} : { errno: child.errno }),
  }
}

/**
 * A live subprocess as the recording would have described it: paths below the root of the recording, Node at
 * its recorded path. Whether it could be started, and whether inherited output is copied, depends on the
 * machine and is taken from the tape. So is the form of the inherited names: `startDifference` compares them.
 */
export function asRecordedStart(
  child: ChildStart,
  recorded: ChildStart,
  moved: (text: string) => string,
): ChildStart {
  const name = (live: string, then: string | undefined): string =>
    live === startedAs.execPath && then !== undefined ? then : moved(live)
  const { argv0 } = child.options
  return {
    program: name(child.program, recorded.program),
    args: child.args.map((argument, at) => name(argument, recorded.args[at])),
    cwd: child.cwd === null ? null : moved(child.cwd),
    env: Object.fromEntries(Object.entries(child.env).map(([key, value]) => [key, moved(value)])),
    ...(recorded.inherited === undefined ? {} : { inherited: recorded.inherited }),
    stdio: child.stdio.map((use, at) =>
      sameStream(use, recorded.stdio[at]) ? (recorded.stdio[at] ?? use) : use,
    ),
    options: argv0 === undefined ? child.options : { ...child.options, argv0: name(argv0, undefined) },
    pid: recorded.pid,
    errno: recorded.errno,
  }
}

/** The fields of a subprocess from a tape, which may contain anything. */
export function recordedStart(request: Json | undefined, pid: number | null): ChildStart {
  const { program, args, cwd, stdio, errno, env_only: only, env_without: without } = fieldsOf(request)
  return {
    program: typeof program === 'string' ? program : '',
    args: textsOf(args),
    cwd: typeof cwd === 'string' ? cwd : null,
    env: {},
    ...(Array.isArray(only) ? { inherited: { passed: textsOf(only), withheld: null } } : {}),
    ...(Array.isArray(without) ? { inherited: { passed: null, withheld: textsOf(without) } } : {}),
    options: {},
    stdio: textsOf(stdio),
    pid,
    errno: typeof errno === 'number' ? errno : 0,
  }
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}
