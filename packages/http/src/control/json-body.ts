import { StorageError } from '@varve/core'

const bytesMaxDefault = 64 * 1024

/** @throws StorageError `EntityTooLarge`, `InvalidArgument` for a body that is not JSON in UTF-8 */
export async function jsonOf(body: AsyncIterable<Uint8Array>, bytesMax = bytesMaxDefault): Promise<unknown> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > bytesMax) {
        throw new StorageError('EntityTooLarge', `The body of this request may have ${bytesMax} bytes.`)
      }
      text += decoder.decode(chunk, { stream: true })
    }
    return JSON.parse(text + decoder.decode()) as unknown
  } catch (error) {
    // Leaves out the message of the parser, which quotes the text.
    const { name } = error as Error
    if (name === 'SyntaxError' || name === 'TypeError') {
      throw new StorageError('InvalidArgument', 'The body of this request is not JSON in UTF-8.')
    }
    throw error
  }
}
