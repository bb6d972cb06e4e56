# app.rb requires this.
