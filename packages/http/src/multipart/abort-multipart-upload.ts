import { uploadOf } from './upload-params.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const abortMultipartUpload: ObjectOperation = async (context) => {
  const {
    store,
    client: { signal },
  } = context

  await store.uploads.abort(uploadOf(context), { signal })

  return emptyAnswer(204)
}
