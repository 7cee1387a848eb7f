/** What `recorded` was given, in either of its forms: the body of the test alone, or options before it. The same for every runner. */
import { RepriseError } from '../errors/index.ts'
import type { RecordedOptions } from '../testbench/index.ts'

type Body<Context> = (context: Context) => unknown | Promise<unknown>

export type Recorded<Context> = {
  (body: Body<Context>): Body<Context>
  (options: RecordedOptions, body: Body<Context>): Body<Context>
}

/** `run` gets the body, and the options or none of them. */
export function recordedBy<Context>(run: (body: () => unknown, options: RecordedOptions, context: Context) => Promise<void>): Recorded<Context> {
  return (first: RecordedOptions | Body<Context>, second?: Body<Context>): Body<Context> => {
    const options = typeof first === 'function' ? {} : first
    const body = typeof first === 'function' ? first : second
    if (body === undefined) throw new RepriseError('usage', 'recorded needs the body of the test', { hint: 'recorded({ tape }, async () => …)' })
    return (context) => run(() => body(context), options, context)
  }
}
