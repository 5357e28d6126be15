/** The options of a server for tests, checked before anything is opened. */
import { schema } from '@varve/core'
import { type DialectName, dialects, type Identity } from '@varve/http'
import type { TimeSource } from './test-clock.ts'

const { array, boolean, checked, either, implementing, integer, literal, Mismatch, object, optional, text } = schema

/** A pair that requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Where a server for tests is reached. */
export interface ListenOptions {
  /** Whether to open a port. Without one, clients reach the server through `requestHandler`. @default true */
  readonly listen?: boolean
  /** @default '127.0.0.1' */
  readonly host?: string
  /** @default any free port */
  readonly port?: number
}

/** Options of `fork`. @default those of the server that is forked, and any free port */
export interface ForkS3Options extends ListenOptions {
  /** A clock of its own. @default that of the server that is forked */
  readonly clock?: TimeSource
}

/** Options of `startS3`. */
export interface StartS3Options extends ListenOptions {
  /** The region of buckets. Signatures may name any region. @default 'us-east-1' */
  readonly region?: string
  /**
   * What requests are signed with. They act as root. `any` accepts every access key id, with the secret `test`.
   * @default { accessKeyId: 'test', secretAccessKey: 'test' }
   */
  readonly credentials?: Credentials | 'any'
  /** More identities, with policies of their own: see `createIdentity` of `varve/http`. @default none */
  readonly identities?: readonly Identity[]
  /** Buckets that are there at the start and after each `reset()`. @default none */
  readonly buckets?: readonly string[]
  /** The versioning of these buckets. @default never set */
  readonly versioning?: 'Enabled' | 'Suspended'
  /** Where the time comes from: see `testClock`. @default the clock of the machine */
  readonly clock?: TimeSource
  /** Whose answers to give where S3 servers differ. @default 'aws' */
  readonly dialect?: DialectName
}

const credentials = object<Credentials>({ accessKeyId: text({ min: 1 }), secretAccessKey: text({ min: 1 }) })

const listenFields: schema.FieldsOf<ListenOptions> = {
  listen: optional(boolean),
  host: optional(text({ min: 1 })),
  port: optional(integer({ min: 0, max: 65_535 })),
}

/** Reads `now` once, so that a later change of the object has no effect. */
const clock: schema.Schema<TimeSource> = {
  read(value) {
    if (typeof value !== 'object' || value === null) throw Mismatch.wrongType('a clock', value)
    const { now } = value as TimeSource
    if (typeof now !== 'function') throw new Mismatch('must be a clock: it has no now')
    return { now: () => Reflect.apply(now, value, []) }
  },
  accepts: () => false,
}

const startOptions = object<StartS3Options>({
  ...listenFields,
  region: optional(text({ min: 1 })),
  credentials: optional(either<Credentials | 'any'>("credentials, or 'any'", literal('any'), credentials)),
  identities: optional(array(implementing<Identity>('an identity', []))),
  buckets: optional(array(text({ min: 1 }))),
  versioning: optional(literal('Enabled', 'Suspended')),
  clock: optional(clock),
  dialect: optional(literal(...(Object.keys(dialects) as DialectName[]))),
})

const forkOptions = object<ForkS3Options>({ ...listenFields, clock: optional(clock) })

/** @throws StorageError `InvalidArgument` */
export const startS3Options = (given: unknown): StartS3Options => checked('options', startOptions, given)
/** @throws StorageError `InvalidArgument` */
export const forkS3Options = (given: unknown): ForkS3Options => checked('options', forkOptions, given)
