import { element } from './view.js';

/** The plain fields a flat object schema asks for, or null when the schema is anything else. */
export function flatFields(schema) {
  if (schema?.type !== 'object' || typeof schema.properties !== 'object') return null;
  const fields = Object.entries(schema.properties).map(([name, of]) => ({
    name,
    label: typeof of?.title === 'string' ? of.title : name,
    required: Array.isArray(schema.required) && schema.required.includes(name),
    choices: Array.isArray(of?.enum) ? of.enum : null,
    type: of?.type,
  }));
  const plain = ['string', 'number', 'integer', 'boolean'];
  return fields.every(({ choices, type }) => choices || plain.includes(type)) ? fields : null;
}

function control(field) {
  if (field.choices) {
    const select = document.createElement('select');
    const options = field.choices.map((choice, place) => {
      const option = element(
        'option',
        typeof choice === 'string' ? choice : JSON.stringify(choice),
      );
      option.value = String(place);
      return option;
    });
    const none = element('option', '–');
    none.value = '';
    select.append(none, ...options);
    return select;
  }
  const input = document.createElement('input');
  if (field.type === 'boolean') input.type = 'checkbox';
  else if (field.type !== 'string') input.inputMode = 'decimal';
  return input;
}

/** What a control stands for; undefined when it was left empty. */
function valueOf(field, input) {
  if (field.type === 'boolean' && !field.choices) return input.checked;
  if (input.value === '')
    return field.type === 'string' && field.required && !field.choices ? '' : undefined;
  if (field.choices) return field.choices[Number(input.value)];
  return field.type === 'string' ? input.value : Number(input.value);
}

/** Shows one labelled control per field and writes what they say into the JSON editor. */
export function showFields(container, fields, editor) {
  const controls = fields.map((field) => {
    const label = element('label', field.required ? `${field.label} *` : field.label);
    const input = control(field);
    label.append(input);
    container.append(label);
    return [field, input];
  });
  const write = () => {
    const answer = controls
      .map(([field, input]) => [field.name, valueOf(field, input)])
      .filter(([, value]) => value !== undefined);
    editor.value = JSON.stringify(Object.fromEntries(answer), null, 2);
  };
  container.addEventListener('input', write);
  write();
}
