/** Starts a server for tests. */
import { createIdentity } from '@varve/http'
import { type Credentials, type StartS3Options, startS3Options } from './options.ts'
import type { Serving } from './served-store.ts'
import { storeClock } from './test-clock.ts'
import type { TestS3 } from './test-s3.ts'

const testCredentials: Credentials = Object.freeze({ accessKeyId: 'test', secretAccessKey: 'test' })

/**
 * Starts an S3 server over a store in memory, in this process. Several servers share nothing.
 * @throws StorageError `InvalidArgument` for invalid or unknown options, `InvalidBucketName`; what listening throws
 * (`EADDRINUSE`)
 */
export async function startS3(given: StartS3Options = {}): Promise<TestS3> {
  const options = startS3Options(given)
  const { credentials: accepted = testCredentials, identities = [], clock } = options
  const credentials = accepted === 'any' ? testCredentials : accepted
  const serving: Serving = {
    root: rootWith(credentials),
    identities,
    findIdentity: accepted === 'any' ? (accessKeyId) => rootWith({ ...credentials, accessKeyId }) : undefined,
    region: options.region ?? 'us-east-1',
    dialect: options.dialect ?? 'aws',
    clock: clock && storeClock(clock),
  }
  const { startPrepared } = await import('./start-prepared.ts')
  return startPrepared({ serving, credentials }, options)
}

/** One user, whichever access key it uses. */
const rootWith = (credentials: Credentials) => createIdentity({ name: 'test', ...credentials, root: true })
