/** An element as data; both parsers return it. */
export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string
  readonly children: readonly XmlElement[]
  /** The value of `xsi:type`: the only attribute that is used. */
  readonly type?: string
  /** All text directly inside, with references decoded. The pieces between elements, comments and CDATA are joined. */
  readonly text: string
}
