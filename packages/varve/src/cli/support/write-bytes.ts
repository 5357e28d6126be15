import type { ReadableContent } from '../../bodies/readable-content.ts'
import type { Output } from './output.ts'

/** Writes the bytes of an object to the output, and lets go of the object. */
export async function writeBytes(output: Output, content: ReadableContent): Promise<void> {
  try {
    for await (const chunk of content.body) await output.write(chunk)
    await output.flush()
  } finally {
    await content.close()
  }
}
