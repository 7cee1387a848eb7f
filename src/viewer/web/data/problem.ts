import { ViewerProblem } from '../../protocol.ts'

/** Any error as something to show: what failed, and what to do next. */
export function problemFrom(error: unknown): ViewerProblem {
  if (error instanceof ViewerProblem) return error
  return new ViewerProblem({
    code: 'page-error',
    message: error instanceof Error ? error.message : String(error),
    hint: null,
  })
}
