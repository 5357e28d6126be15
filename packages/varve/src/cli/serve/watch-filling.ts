/** Says why a store is not filled that an instant restore left in a replica. The job tries again; what it says once is enough. */
import type { JobStatus } from '@varve/core'
import { errorText } from '../support/report-error.ts'

interface FillingWatch {
  /** The jobs of the store as it is open now. */
  jobs(): readonly JobStatus[]
  onFailure(error: unknown): void
}

const everyMs = 1000

/** Calls `onFailure` for each reason that is not the one before. */
export function watchFilling({ jobs, onFailure }: FillingWatch): { stop(): void } {
  let last: string | undefined
  const look = (): void => {
    const error = jobs().find(({ name }) => name === 'filling')?.lastError?.error
    if (error === undefined) return
    const text = errorText(error)
    if (text !== last) onFailure(error)
    last = text
  }
  const timer = setInterval(look, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
