/** Closes one thing and then the other, which is closed in any case. @throws the first error */
export async function closeInOrder(first: () => Promise<void>, then: () => Promise<void>): Promise<void> {
  try {
    await first()
  } catch (error) {
    await then().catch(() => undefined)
    throw error
  }
  await then()
}
