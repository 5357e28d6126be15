/** The lines of access logs of a worker: the owner delivers them, with those of the other workers. */
import type { RequestStore } from '@varve/core'
import { type AccessLog, collectAccess, type LoggedAccess } from '@varve/http'
import type { FromWorker } from './control-messages.ts'

const everyMs = 250
/** Also passed on when there are so many. */
const batchMax = 1000

export function workerAccesses(store: RequestStore, report: (message: FromWorker) => Promise<void>): AccessLog {
  const accesses: LoggedAccess[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (accesses.length > 0) await report({ kind: 'accesses', accesses: accesses.splice(0) })
  }
  return collectAccess({
    store,
    pass(access) {
      if (accesses.push(access) >= batchMax) void flush()
      else timer ??= setTimeout(() => void flush(), everyMs).unref()
    },
    close: flush,
  })
}
