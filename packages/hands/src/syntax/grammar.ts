/** What a symbol is. */
export const SYMBOL_KINDS = [
  'module',
  'class',
  'interface',
  'struct',
  'trait',
  'impl',
  'enum',
  'type',
  'function',
  'method',
  'field',
  'variable',
  'macro',
] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** How the syntax trees of a language name its symbols. */
export interface Grammar {
  /** Name of the grammar's file. */
  readonly name: string;
  /** For people. */
  readonly language: string;
  /** Extensions of files, without the dot. */
  readonly extensions: readonly string[];
  /** Node types that declare a symbol. */
  readonly symbols: Readonly<Record<string, SymbolKind>>;
  /** Node types that declare none, and contain some. */
  readonly through: ReadonlySet<string>;
  /** Node types of names. */
  readonly names: ReadonlySet<string>;
  /** Whether lines that begin with `#` are directives to a preprocessor. */
  readonly hasDirectives?: boolean;
  /** Whether the language has words that the grammar does not know yet. */
  readonly hasNewerWords?: boolean;
  /** Where names are local, if the types of nodes tell it. */
  readonly scopes?: {
    /** Node types of names that belong to something else. */
    readonly members: ReadonlySet<string>;
    readonly functions: ReadonlySet<string>;
    /** Node types whose names the file alone has. */
    readonly imports: ReadonlySet<string>;
  };
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const SCRIPT_SYMBOLS = {
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  class: 'class',
  interface_declaration: 'interface',
  enum_declaration: 'enum',
  type_alias_declaration: 'type',
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_signature: 'function',
  // `export default () => {}` has no other name.
  function_expression: 'function',
  generator_function: 'function',
  arrow_function: 'function',
  internal_module: 'module',
  module: 'module',
  method_definition: 'method',
  method_signature: 'method',
  abstract_method_signature: 'method',
  public_field_definition: 'field',
  field_definition: 'field',
  property_signature: 'field',
  variable_declarator: 'variable',
  assignment_expression: 'function',
  pair: 'method',
} as const satisfies Grammar['symbols'];

const SCRIPT = {
  symbols: SCRIPT_SYMBOLS,
  hasNewerWords: true,
  through: set(
    'program export_statement lexical_declaration variable_declaration ambient_declaration class_body interface_body object_type object statement_block expression_statement',
  ),
  names: set(
    'identifier property_identifier private_property_identifier type_identifier shorthand_property_identifier shorthand_property_identifier_pattern statement_identifier',
  ),
  scopes: {
    members: set('property_identifier private_property_identifier'),
    functions: set('arrow_function function_expression function_declaration generator_function generator_function_declaration method_definition'),
    imports: set('import_specifier import_clause namespace_import'),
  },
} as const satisfies Partial<Grammar>;

const PREPROCESSOR = 'preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef';

/** The languages whose syntax is known. Each adds some 40 to 240 KB to an install. */
export const GRAMMARS: readonly Grammar[] = [
  { ...SCRIPT, name: 'typescript', language: 'TypeScript', extensions: ['ts', 'mts', 'cts'] },
  { ...SCRIPT, name: 'tsx', language: 'TypeScript', extensions: ['tsx'] },
  { ...SCRIPT, name: 'javascript', language: 'JavaScript', extensions: ['js', 'mjs', 'cjs', 'jsx'] },
  {
    name: 'python',
    language: 'Python',
    extensions: ['py', 'pyi'],
    symbols: { class_definition: 'class', function_definition: 'function', assignment: 'variable', type_alias_statement: 'type' },
    through: set(
      'module block decorated_definition expression_statement if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement ' +
        'for_statement while_statement match_statement case_clause',
    ),
    names: set('identifier'),
  },
  {
    name: 'go',
    language: 'Go',
    extensions: ['go'],
    symbols: {
      function_declaration: 'function',
      method_declaration: 'method',
      type_spec: 'type',
      type_alias: 'type',
      const_spec: 'variable',
      var_spec: 'variable',
      method_elem: 'method',
      field_declaration: 'field',
    },
    through: set('source_file type_declaration const_declaration var_declaration var_spec_list struct_type interface_type field_declaration_list'),
    names: set('identifier field_identifier type_identifier package_identifier label_name'),
  },
  {
    name: 'rust',
    language: 'Rust',
    extensions: ['rs'],
    symbols: {
      function_item: 'function',
      function_signature_item: 'function',
      struct_item: 'struct',
      union_item: 'struct',
      enum_item: 'enum',
      trait_item: 'trait',
      impl_item: 'impl',
      mod_item: 'module',
      const_item: 'variable',
      static_item: 'variable',
      type_item: 'type',
      associated_type: 'type',
      macro_definition: 'macro',
      field_declaration: 'field',
    },
    through: set('source_file declaration_list field_declaration_list foreign_mod_item'),
    names: set('identifier field_identifier type_identifier shorthand_field_identifier'),
  },
  {
    name: 'cpp',
    hasDirectives: true,
    language: 'C and C++',
    extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx'],
    symbols: {
      function_definition: 'function',
      declaration: 'variable',
      field_declaration: 'field',
      class_specifier: 'class',
      struct_specifier: 'struct',
      union_specifier: 'struct',
      enum_specifier: 'enum',
      namespace_definition: 'module',
      type_definition: 'type',
      alias_declaration: 'type',
      concept_definition: 'type',
      preproc_def: 'macro',
      preproc_function_def: 'macro',
    },
    through: set(`translation_unit template_declaration linkage_specification declaration_list field_declaration_list ${PREPROCESSOR}`),
    names: set('identifier field_identifier type_identifier namespace_identifier'),
  },
  {
    name: 'java',
    language: 'Java',
    extensions: ['java'],
    symbols: {
      class_declaration: 'class',
      record_declaration: 'class',
      interface_declaration: 'interface',
      annotation_type_declaration: 'interface',
      enum_declaration: 'enum',
      method_declaration: 'method',
      constructor_declaration: 'method',
      variable_declarator: 'field',
    },
    through: set('program class_body interface_body enum_body enum_body_declarations annotation_type_body field_declaration constant_declaration'),
    names: set('identifier type_identifier'),
  },
  {
    name: 'ruby',
    language: 'Ruby',
    extensions: ['rb', 'rake', 'gemspec'],
    symbols: { class: 'class', module: 'module', method: 'method', singleton_method: 'method', assignment: 'variable' },
    // `private def name` is a call with a method.
    through: set('program body_statement singleton_class call argument_list'),
    names: set('identifier constant instance_variable class_variable global_variable'),
  },
];

/** Kinds whose members are symbols, too. */
export const CONTAINERS: ReadonlySet<SymbolKind> = new Set<SymbolKind>(['module', 'class', 'interface', 'struct', 'trait', 'impl', 'enum', 'type']);

/** Returns the grammar for a file; undefined if none is known. */
export function grammarFor(path: string): Grammar | undefined {
  const extension = /\.([^./]+)$/u.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : GRAMMARS.find(({ extensions }) => extensions.includes(extension));
}
