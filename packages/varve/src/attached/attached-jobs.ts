/** The jobs of the store that another process has open. */
import { type ErrorCode, type JobStatus, StorageError } from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { collected } from './attached-scope.ts'

export async function jobsOver(client: ControlClient): Promise<readonly JobStatus[]> {
  const jobs = await collected(client.lines(controlApi.listJobs, {}))
  return jobs.map(({ lastError, ...job }): JobStatus => {
    if (lastError === undefined) return job
    const { code, message, ...others } = lastError.error
    return { ...job, lastError: { at: lastError.at, error: new StorageError(code as ErrorCode, message, others) } }
  })
}
