import { S3Error } from '../errors/errors.ts'
import { lifecycleElements, readLifecycleConfiguration } from './lifecycle-configuration.ts'
import type { Answer } from '../contract/answer.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import type { BucketContext } from '../contract/operation.ts'
import { settingAbsent, type SettingDocument } from './setting-rows.ts'

const minimumSize = 'x-amz-transition-default-minimum-object-size'
const sizeWords = ['all_storage_classes_128K', 'varies_by_storage_class'] as const

export const lifecycle: SettingDocument<'Lifecycle'> = {
  kind: 'Lifecycle',
  query: 'lifecycle',
  get: { name: 'GetBucketLifecycleConfiguration' },
  put: { name: 'PutBucketLifecycleConfiguration', understands: [minimumSize] },
  delete: { name: 'DeleteBucketLifecycle' },
  bytesMax: 1024 * 1024,
  async read(bytes, context) {
    const transitionMinimumSize = sizeWord(context)
    return { ...(await readLifecycleConfiguration(bytes, context.client.address)), transitionMinimumSize }
  },
  async write(value, context) {
    const answer = await longXmlAnswer(context, 'LifecycleConfiguration', lifecycleElements(value))
    return withSize(answer, value.transitionMinimumSize)
  },
  answered: (value) => ({ [minimumSize]: value.transitionMinimumSize ?? sizeWords[0] }),
  absent(context) {
    throw settingAbsent('NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist', context)
  },
}

function sizeWord({ headers }: BucketContext): string {
  const sent = headers.get(minimumSize) ?? sizeWords[0]
  const word = sizeWords.find((known) => known === sent)
  if (word !== undefined) return word
  throw new S3Error('InvalidRequest', `Invalid TransitionDefaultMinimumObjectSize found: ${sent}`)
}

const withSize = (answer: Answer, word: string = sizeWords[0]): Answer => ({
  ...answer,
  headers: { ...answer.headers, [minimumSize]: word },
})
