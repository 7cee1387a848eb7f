/**
 * What `recorded` was given, in either of its forms: the body of the test alone, or options before it. The
 * same for every runner.
 *
 * The body gets every argument that the runner passes: rows of `test.each`, contexts, fixtures. Its source is
 * that of the given function, because runners read from it which fixtures a test uses.
 */
import { RepriseError } from '../errors/index.ts'
import type { RecordedOptions } from '../testbench/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the runner's own types define what it passes, row by row.
type AnyBody = (...args: any[]) => unknown

export type Recorded = {
  <Body extends AnyBody>(body: Body): RecordedBody<Body>
  <Body extends AnyBody>(options: RecordedOptions, body: Body): RecordedBody<Body>
}

type RecordedBody<Body extends AnyBody> = (
  this: ThisParameterType<Body>,
  ...args: Parameters<Body>
) => Promise<void>

/** What a runner passed to the test: `this`, and the arguments. */
export type Passed = { readonly self: unknown; readonly args: readonly unknown[] }

/** `run` gets the body, and the options or none of them. `onDefined` is called for each `recorded(…)`. */
export function recordedBy(
  run: (body: () => unknown, options: RecordedOptions, passed: Passed) => Promise<void>,
  onDefined: (options: RecordedOptions) => void = () => undefined,
): Recorded {
  return <Body extends AnyBody>(first: RecordedOptions | Body, second?: Body): RecordedBody<Body> => {
    const options = typeof first === 'function' ? {} : first
    const body = typeof first === 'function' ? first : second
    if (body === undefined)
      throw new RepriseError('usage', 'recorded needs the body of the test', {
        hint: 'recorded({ tape }, async () => …)',
      })
    onDefined(options)
    return wrapped(body, options, run)
  }
}

function wrapped<Body extends AnyBody>(
  body: Body,
  options: RecordedOptions,
  run: Parameters<typeof recordedBy>[0],
): RecordedBody<Body> {
  function recordedTest(this: ThisParameterType<Body>, ...args: Parameters<Body>): Promise<void> {
    return run(() => Reflect.apply(body, this, args), options, { self: this, args })
  }
  Object.defineProperty(recordedTest, 'toString', { value: () => body.toString() })
  return recordedTest
}
