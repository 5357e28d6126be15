import type { AnswerHeaders } from '../contract/answer.ts'
import type { BucketContext } from '../contract/operation.ts'

/** Clients that do not know the region of the bucket can learn it from a listing. */
export const regionHeader = ({ bucketAccess: { region } }: BucketContext): AnswerHeaders => ({
  ...(region !== undefined && { 'x-amz-bucket-region': region }),
})
