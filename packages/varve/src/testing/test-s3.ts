/** A server for tests, as tests see it. */
import type { Agent } from 'node:http'
import type { Store } from '@varve/core'
import type { Faults } from './faults.ts'
import type { Credentials, ForkS3Options } from './options.ts'

/** What `new S3Client(…)` of the AWS SDK takes. */
export interface S3ClientConfiguration {
  readonly endpoint: string
  readonly region: string
  readonly credentials: Credentials
  readonly forcePathStyle: true
  /** Only if the server has no port. */
  readonly requestHandler?: S3RequestHandler
}

/** The options of the HTTP handler that the AWS SDK makes: its requests stay in this process. */
export interface S3RequestHandler {
  readonly httpAgent: Agent
}

/** An S3 server over a store in memory. */
export interface TestS3 extends AsyncDisposable {
  /** `http://127.0.0.1:54321`. Without a port, a URL that only `requestHandler` reaches. */
  readonly url: string
  /** Absent if the server has no port. */
  readonly port: number | undefined
  readonly region: string
  readonly credentials: Credentials
  /** Pass it to `new S3Client(…)`. Each client should have its own. */
  readonly clientConfig: S3ClientConfiguration
  /** As `requestHandler` of an `S3Client`, lets it send its requests without a socket. Each client should have its own. */
  readonly requestHandler: S3RequestHandler
  /** The store behind the server, until the next `reset()`: read it anew after that. */
  readonly store: Store
  readonly faults: Faults
  /**
   * Brings back what was there at the start, or when this server was forked, and removes all faults. Requests without an
   * answer get `OperationAborted`, and answers that are being sent are cut: no request sees, or writes to, both states.
   * @throws StorageError `StoreClosed` after `stop`
   */
  reset(): Promise<void>
  /**
   * Starts a server of its own that has what is committed here. Its `reset()` goes back to that. It has the options of
   * this one, and no faults.
   * @throws StorageError `StoreClosed` after `stop`, `InvalidArgument`; what listening throws
   */
  fork(options?: ForkS3Options): Promise<TestS3>
  /** Ends all connections and gives up the store. Idempotent. */
  stop(): Promise<void>
}
