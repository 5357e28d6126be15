/** The package that speaks S3, and a client of it. */
import type * as sdkModule from '@aws-sdk/client-s3'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { optionalPackage } from '../journal-kit/optional-package.ts'
import { checkAnswers } from './s3-answers.ts'

export type Sdk = typeof sdkModule

/** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when the package is not installed. */
export const loadSdk = (): Promise<Sdk> => optionalPackage('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3'))

export interface ClientOptions {
  readonly region?: string
  readonly endpoint?: string
  readonly forcePathStyle: boolean
  readonly credentials?: NonNullable<S3ClientConfig['credentials']>
  readonly connections: number
  readonly timeoutMs: number
}

const connectMsMax = 10_000

/** The adapter repeats requests itself: it knows which of them an answer was lost of. Answers that are not of S3 are errors. */
export function createClient(sdk: Sdk, options: ClientOptions): S3Client {
  const { region, endpoint, forcePathStyle, credentials, connections, timeoutMs } = options
  const agent = { keepAlive: true, maxSockets: connections }
  const client = new sdk.S3Client({
    maxAttempts: 1,
    forcePathStyle,
    // Each request is signed with the SHA-256 of its body, which every server checks.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    requestHandler: {
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: Math.min(timeoutMs, connectMsMax),
    },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    // The SDK changes what it is given.
    ...(credentials !== undefined && {
      credentials: typeof credentials === 'object' ? { ...credentials } : credentials,
    }),
  })
  checkAnswers(client)
  return client
}

/**
 * A client whose region is that of the options, or what the SDK finds in the environment or in the files of AWS, or else
 * `AWS_DEFAULT_REGION` or `us-east-1`: a server that is not AWS needs one for signatures alone.
 */
export async function createRegionalClient(sdk: Sdk, options: ClientOptions): Promise<S3Client> {
  const client = createClient(sdk, options)
  if (options.region !== undefined || (await hasRegion(client))) return client
  client.destroy()
  return createClient(sdk, { ...options, region: process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1' })
}

const hasRegion = (client: S3Client): Promise<boolean> =>
  client.config.region().then(
    () => true,
    () => false,
  )

/** Gets new credentials, if they come from a function or from the surroundings. */
export async function renewCredentials(client: S3Client): Promise<void> {
  const renew = client.config.credentials as (options: { readonly forceRefresh: true }) => Promise<unknown>
  await renew({ forceRefresh: true })
}

type Headers = Readonly<Record<string, string>>

/** Adds headers to a request before it is signed. Those of `headersOf` depend on the body. */
export function withHeaders<T extends { readonly middlewareStack: unknown }>(
  command: T,
  headersOf: (body: Uint8Array | string) => Headers,
): T {
  type Build = { readonly request: { readonly headers: Record<string, string>; readonly body: Uint8Array | string } }
  const stack = command.middlewareStack as { add(middleware: unknown, options: Headers): void }
  const add = (next: (args: Build) => unknown) => (args: Build) => {
    Object.assign(args.request.headers, headersOf(args.request.body))
    return next(args)
  }
  stack.add(add, { step: 'build', name: 'varveHeaders' })
  return command
}
