/** The bucket and the key that the arguments of a control operation name. */
export function namedIn(input: object): { readonly bucket?: string; readonly key?: string } {
  const bucket: unknown = Reflect.get(input, 'bucket')
  const key: unknown = Reflect.get(input, 'key')
  return { ...(typeof bucket === 'string' && { bucket }), ...(typeof key === 'string' && { key }) }
}
