/** Notes in the trace of a request what logs report of it. */
import type { Identity } from '../access/identity.ts'
import type { Trace } from '../contract/trace.ts'
import type { Target } from '../target/parse-target.ts'

export function noteIdentity(trace: Trace, { id, name, accessKeyId }: Identity): void {
  trace.identity = id
  trace.identityName = name
  trace.accessKeyId = accessKeyId
}

export function noteTarget(trace: Trace, { bucket, key }: Pick<Target, 'bucket' | 'key'>): void {
  if (bucket !== undefined) trace.bucket = bucket
  if (key !== undefined) trace.key = key
}
