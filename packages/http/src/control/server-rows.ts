/** Operations about the server, which knows the identities and measures requests. It answers them itself, in each process. */
import { schema, StorageError } from '@varve/core'
import { type AccessExplanation, accessReasons, type ExplainedStatement } from '../access/explain-access.ts'
import { type PolicyAction, policyActions } from '../policies/actions.ts'
import { name } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { flagForm, nothing, query } from './input.ts'

const { array, boolean, integer, literal, object, objectWith, optional, text } = schema

/** A question about an identity. */
export interface AccessQuestion {
  /** The id of the identity. Absent: a request without credentials. */
  readonly identity?: string
  readonly action: PolicyAction
  readonly bucket?: string
  readonly key?: string
  readonly versionId?: string
  /** The address of the client, for conditions. */
  readonly address?: string
  /** Whether the client is connected by TLS, for conditions. @default true */
  readonly secure?: boolean
}

/** What runs an operation of the server itself where there is none. */
export const notOverSocket = async (): Promise<never> => {
  throw new StorageError('NotImplemented', 'Only a server answers this operation, over HTTP.')
}

export const explainAccess = valueRow<AccessQuestion, AccessExplanation>({
  name: 'ExplainAccess',
  summary: 'Whether an identity may do something, and why',
  method: 'GET',
  path: '/-/v1/access',
  input: query(
    object<AccessQuestion>({
      identity: optional(text({ min: 1 })),
      action: literal(...policyActions),
      bucket: optional(name),
      key: optional(name),
      versionId: optional(text()),
      address: optional(text()),
      secure: optional(boolean),
    }),
    { secure: flagForm },
  ),
  output: objectWith<AccessExplanation>({
    allowed: boolean,
    reason: literal(...(Object.keys(accessReasons) as AccessExplanation['reason'][])),
    text: text(),
    statements: array(
      objectWith<ExplainedStatement>({
        policy: literal('identity', 'bucket'),
        index: integer({ min: 0 }),
        sid: optional(text()),
        effect: literal('Allow', 'Deny'),
        holds: boolean,
      }),
    ),
  }),
  run: notOverSocket,
})

/** The measurements of the server, as Prometheus gets them. */
export interface MetricsText {
  readonly contentType: string
  readonly text: string
}

export const getMetrics = valueRow<object, MetricsText>({
  name: 'GetMetrics',
  summary: 'The measurements of the server as OpenMetrics, if it measures',
  method: 'GET',
  path: '/-/v1/metrics',
  action: 'varve:ReadStatus',
  input: nothing,
  output: objectWith<MetricsText>({ contentType: text(), text: text() }),
  run: notOverSocket,
})
