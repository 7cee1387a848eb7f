/**
 * A driver in a session that is recorded or replayed: what it answers goes on the tape, or comes from it. In
 * a replay there is no driver behind it, no folder and no database; the rules above it (conflicts, versions,
 * transactions) run as ever, on the recorded answers.
 *
 * What the program writes is on the tape as content, and a replay compares it.
 *
 * Decision 0171.
 */
import { AsyncResource } from 'node:async_hooks'
import type { Json } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { realClearInterval, realSetInterval } from '../../real/clock.ts'
import type { StateAnswer, StateCrossing } from '../../tape/state-crossing.ts'
import type { Backend, Change, ExclusiveView, ExclusiveWork, StateDriver } from '../contract.ts'
import { pathOf } from '../state-path.ts'
import { POLL_MS } from '../watch.ts'
import * as answers from './answers.ts'

export type TapedPlace = { readonly backend: Backend; readonly root: string }

/** `real` is null in a replay. */
export function tapedDriver(
  crossing: StateCrossing,
  place: TapedPlace,
  real: StateDriver | null,
): StateDriver {
  const driver = (): StateDriver => {
    if (real !== null) return real
    throw new RepriseError('internal', 'agent_state: a replay has no driver', {})
  }
  /** One call, with what it was refused as part of its answer. */
  const ask = async (
    call: string,
    path: string,
    perform: () => Promise<StateAnswer>,
    sent?: Uint8Array,
  ): Promise<StateAnswer> => {
    const refusable = (): Promise<StateAnswer> =>
      perform().catch((error: unknown) => ({ result: answers.refusalOf(error), content: null }))
    const answer = await crossing.call({ call, path, ...(sent === undefined ? {} : { sent }) }, refusable)
    answers.throwRefusal(answer.result)
    return answer
  }
  const askFacts = async (call: string, path: string, perform: () => Promise<Json>): Promise<Json> =>
    (await ask(call, path, async () => ({ result: await perform(), content: null }))).result

  const viewOn = (session: string, view: ExclusiveView | null): ExclusiveView => {
    const behind = (): ExclusiveView => view ?? unreachableView()
    return {
      load: async (key) =>
        answers.loadedFrom(
          await ask('load', pathOf(session, key), async () => answers.loadedAnswer(await behind().load(key))),
        ),
      clash: async (key) =>
        textOrNull(await askFacts('clash', pathOf(session, key), () => behind().clash(key))),
      list: async () => answers.textsFrom(await askFacts('list', pathOf(session, ''), () => behind().list())),
    }
  }
  /** What is about to be committed, change by change; none of it needs the driver. */
  const recordChanges = async (session: string, changes: readonly Change[]): Promise<void> => {
    for (const change of changes) {
      const nothing = async (): Promise<StateAnswer> => ({ result: null, content: null })
      await ask(
        change.kind,
        pathOf(session, change.key),
        nothing,
        change.kind === 'put' ? change.content : undefined,
      )
    }
  }

  const replayExclusive = async <T>(session: string, work: ExclusiveWork<T>): Promise<T> => {
    for (;;) {
      const { result, changes } = await work(viewOn(session, null))
      await recordChanges(session, changes)
      if ((await askFacts('commit', pathOf(session, ''), async () => null)) !== AGAIN) return result
    }
  }
  const recordExclusive = async <T>(session: string, work: ExclusiveWork<T>): Promise<T> => {
    let finish: ((how: Promise<Json>) => void) | null = null
    let committed: Promise<Json> | null = null
    const attempt: ExclusiveWork<T> = AsyncResource.bind(async (view: ExclusiveView) => {
      // The driver runs the work again: the commit before was refused for another's sake.
      finish?.(Promise.resolve(AGAIN))
      await committed
      const staged = await work(viewOn(session, view))
      await recordChanges(session, staged.changes)
      const how = new Promise<Json>((resolve) => {
        finish = resolve
      })
      committed = askFacts('commit', pathOf(session, ''), () => how)
      committed.catch(() => undefined)
      return staged
    })
    const done = crossing.outside(() => driver().exclusive(session, attempt))
    done.then(
      () => finish?.(Promise.resolve(null)),
      (error: unknown) => finish?.(refused(error)),
    )
    const result = await done
    await (committed as Promise<Json> | null)
    return result
  }

  return {
    ...place,
    createSession: async (session) =>
      void (await askFacts('create', pathOf(session, ''), async () =>
        driver()
          .createSession(session)
          .then(() => null),
      )),
    hasSession: async (session) =>
      (await askFacts('exists', pathOf(session, ''), () => driver().hasSession(session))) === true,
    sessions: async () =>
      answers.textsFrom(await askFacts('sessions', pathOf('', ''), () => driver().sessions())),
    read: async (session, key) =>
      answers.entryFrom(
        await ask('read', pathOf(session, key), async () =>
          answers.entryAnswer(await driver().read(session, key)),
        ),
      ),
    list: async (session) =>
      answers.textsFrom(await askFacts('list', pathOf(session, ''), () => driver().list(session))),
    clash: async (session, key) =>
      textOrNull(await askFacts('clash', pathOf(session, key), () => driver().clash(session, key))),
    versions: async (session) =>
      answers.versionsFrom(
        await askFacts('versions', pathOf(session, ''), async () =>
          Object.fromEntries(await driver().versions(session)),
        ),
      ),
    exclusive: (session, work) =>
      real === null ? replayExclusive(session, work) : recordExclusive(session, work),
    async writeOnce(session, request) {
      const once = async (): Promise<Json> =>
        answers.writtenFacts((await driver().writeOnce?.(session, request)) ?? null)
      const outcome = answers.writtenFrom(
        await askFacts('write_once', pathOf(session, request.key), once),
        request.content,
      )
      if (outcome !== null)
        await ask(
          'put',
          pathOf(session, request.key),
          async () => ({ result: null, content: null }),
          request.content,
        )
      return outcome
    },
    async history(session, key) {
      const past = await askFacts('history', pathOf(session, key), async () =>
        (await driver().history(session, key)).map(answers.pastFacts),
      )
      return Array.isArray(past) ? past.map(answers.pastFrom) : []
    },
    async readVersion(session, key, version) {
      const { content } = await ask('read_version', `${pathOf(session, key)}@${version}`, async () => ({
        result: null,
        content: await driver().readVersion(session, key, version),
      }))
      return content
    },
    hintsAll: true,
    onHint: (session, hint) =>
      crossing.hints(
        pathOf(session, ''),
        (listen) => withPolls(driver().onHint(session, listen), listen),
        hint,
      ),
    close: async () =>
      void (await askFacts('close', pathOf('', ''), async () =>
        driver()
          .close()
          .then(() => null),
      )),
  }
}

const AGAIN = 'again'

/** The one who waits for the commit may have been answered already. */
function refused(error: unknown): Promise<never> {
  const how = Promise.reject(error)
  how.catch(() => undefined)
  return how
}

/** A watcher's own looks are part of the hints here: on a tape they have their place. */
function withPolls(hints: Disposable, hint: () => void): Disposable {
  const timer = realSetInterval(hint, POLL_MS)
  timer.unref()
  return {
    [Symbol.dispose]() {
      realClearInterval(timer)
      hints[Symbol.dispose]()
    },
  }
}

function textOrNull(value: Json): string | null {
  return typeof value === 'string' ? value : null
}

function unreachableView(): never {
  throw new RepriseError('internal', 'agent_state: a replay has no driver', {})
}
