import { uploadOf } from '../objects/upload-params.ts'
import { emptyAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

export const abortMultipartUpload: ObjectOperation = async (context) => {
  const {
    store,
    client: { signal },
  } = context

  await store.uploads.abort(uploadOf(context), { signal })

  return emptyAnswer(204)
}
