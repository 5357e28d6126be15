/** Reads webhooks from a JSON file that only its owner can read, since headers contain secrets. */
import { isStorageError, StorageError } from '@varve/core'
import { readPrivateJson } from '../files/private-file.ts'
import { checkWebhooks, type Webhook } from './webhook.ts'

const bytesMax = 1024 * 1024

/** `{"webhooks": [{"arn": …, "url": …, "headers": {…}}]}`. @throws StorageError `InvalidArgument` */
export async function loadWebhookFile(path: string): Promise<readonly Webhook[]> {
  const value = await readPrivateJson(path, { name: 'file of webhooks', bytesMax })
  try {
    const webhooks = webhooksOf(value)
    checkWebhooks(webhooks)
    return webhooks
  } catch (error) {
    if (!(error instanceof TypeError) && !isStorageError(error)) throw error
    throw new StorageError('InvalidArgument', `The file of webhooks ${path} cannot be used: ${error.message}`)
  }
}

function webhooksOf(value: unknown): readonly Webhook[] {
  const { webhooks, ...others } = recordOf(value, 'the file')
  refuseOthers(others, 'the file')
  if (!Array.isArray(webhooks)) throw new TypeError('webhooks is a list.')
  return webhooks.map((one, i) => {
    const place = `webhooks[${i}]`
    const { arn, url, headers, ...more } = recordOf(one, place)
    refuseOthers(more, place)
    if (typeof arn !== 'string' || typeof url !== 'string') throw new TypeError(`${place} has an arn and a url.`)
    return { arn, url, ...(headers !== undefined && { headers: headersOf(headers, place) }) }
  })
}

function headersOf(value: unknown, place: string): Readonly<Record<string, string>> {
  const headers = recordOf(value, `${place}.headers`)
  if (Object.values(headers).some((one) => typeof one !== 'string')) throw new TypeError(`${place}.headers are text.`)
  return headers as Readonly<Record<string, string>>
}

function recordOf(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new TypeError(`${place} is an object.`)
}

function refuseOthers(others: object, place: string): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new TypeError(`${place} has a field nobody knows.`)
}
