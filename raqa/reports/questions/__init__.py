"""What an audit of questions found, on the console and as a page to browse and listen."""
