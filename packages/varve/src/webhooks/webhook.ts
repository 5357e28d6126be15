/** The receivers of notifications by HTTP. */
import { schema, StorageError } from '@varve/core'

/** A receiver, by HTTP, of the events of buckets whose notification configuration names it. */
export interface Webhook {
  /** The name in notification configurations, such as `arn:varve:sqs:::audit`. */
  readonly arn: string
  /** `http:` or `https:`. */
  readonly url: string
  /** Sent with every notification, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

const { array, object, optional, record, text } = schema

export const webhooks = array(object<Webhook>({ arn: text(), url: text(), headers: optional(record(text())) }))

/** @throws StorageError `InvalidArgument` for an invalid webhook, and for an ARN that occurs twice */
export function checkWebhooks(webhooks: readonly Webhook[]): void {
  for (const { arn, url, headers = {} } of webhooks) {
    if (!/^arn:[^:]*:[^:]+:[^:]*:[^:]*:.+$/.test(arn)) throw invalid('webhooks: each has an arn of six parts.')
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (!['http:', 'https:'].includes(parsed?.protocol ?? '')) {
      throw invalid(`webhooks: the url of ${arn} is no http URL.`)
    }
    // The message leaves out the value, which may be a secret.
    if (!areHeaders(headers)) throw invalid(`webhooks: the headers of ${arn} cannot be sent.`)
  }
  if (new Set(webhooks.map(({ arn }) => arn)).size < webhooks.length) {
    throw invalid('webhooks: two have the same arn.')
  }
}

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    void new Headers(headers)
    return true
  } catch {
    return false
  }
}

const invalid = (message: string): StorageError => new StorageError('InvalidArgument', message)
