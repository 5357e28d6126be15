import type { AnswerHeaders } from '../contract/answer.ts'
import type { BucketContext } from '../contract/operation.ts'

/** Clients without a region learn it from listings too. */
export const regionHeader = ({ bucketAccess: { region } }: BucketContext): AnswerHeaders => ({
  ...(region !== undefined && { 'x-amz-bucket-region': region }),
})
