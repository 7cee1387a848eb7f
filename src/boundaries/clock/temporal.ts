/**
 * `Temporal.Now`, on a Node that has it: everything in it is derived from one instant, so one read covers
 * each call.
 */
import { label } from '../../base/index.ts'
import { owners } from '../../real/clock-owners.ts'
import { activeSession } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import { worldOf } from './clock-driver.ts'
import { nsOf } from './reads.ts'

type ZonedDateTime = { toPlainDate(): unknown; toPlainTime(): unknown; toPlainDateTime(): unknown }
type Instant = { toZonedDateTimeISO(zone: unknown): ZonedDateTime }
type Now = { timeZoneId(): string }
type TemporalNamespace = {
  readonly Now: Now
  readonly Instant: { fromEpochNanoseconds(ns: bigint): Instant }
}

type Make = (instant: Instant, zone: unknown) => unknown

const MAKERS: Readonly<Record<string, Make>> = {
  instant: (instant) => instant,
  zonedDateTimeISO: (instant, zone) => instant.toZonedDateTimeISO(zone),
  plainDateTimeISO: (instant, zone) => instant.toZonedDateTimeISO(zone).toPlainDateTime(),
  plainDateISO: (instant, zone) => instant.toZonedDateTimeISO(zone).toPlainDate(),
  plainTimeISO: (instant, zone) => instant.toZonedDateTimeISO(zone).toPlainTime(),
}

export function temporalPatches(): Patch[] {
  const temporal: unknown = Reflect.get(owners.globals, 'Temporal')
  if (!isTemporal(temporal)) return []
  const { Instant, Now } = temporal
  const fromNs = Instant.fromEpochNanoseconds.bind(Instant)
  const ownZone = Now.timeZoneId.bind(Now)
  return Object.entries(MAKERS).map(([name, make]) => {
    const api = label(`Temporal.Now.${name}`)
    return patchFunction(Now, name, (original: AnyFunction) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const session = activeSession('clock')
        if (session === null) return Reflect.apply(original, this, args)
        const zone = args[0] === undefined ? ownZone() : args[0]
        // An invalid zone is rejected before the clock is read.
        make(fromNs(0n), zone)
        const value = session.readClock(api, 'wall', () => ({ unit: 'ns', value: worldOf(session).wallNs() }))
        return make(fromNs(nsOf(value)), zone)
      }
    })
  })
}

function isTemporal(value: unknown): value is TemporalNamespace {
  return typeof value === 'object' && value !== null && 'Now' in value && 'Instant' in value
}
