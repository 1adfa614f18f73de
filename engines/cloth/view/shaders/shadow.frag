/* Depth alone. */
void main() {}
