import { S3Error } from '../errors/errors.ts'

/** The code of the S3 error that `act` throws, or `accepted`. Other errors pass through: they are never an answer. */
export function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof S3Error) return error.code
    throw error
  }
  return 'accepted'
}
